/**
 * Save the settings of a study as they are changed, and show what they ask of raters.
 *
 * Each changed field is sent with the fingerprint of the value that this page showed: the server saves it unless it isn't
 * valid or somebody else changed it meanwhile. Fields that could not be saved are sent again with the next ones, since two of
 * them may be valid together.
 */

import { recheckBy } from "../forms/problems.js";
import { freshToken, isSignedOut } from "../forms/signed_out.js";
import { fieldsOf, isSame, read, write } from "./fields.js";
import { History } from "./history.js";
import { listen } from "./lists.js";
import { search, unfold } from "./settings_search.js";

const ESTIMATE_AFTER = 300;
const SAVE_AFTER = 900;
const AGAIN_AFTER = 5000;

class DesignPage {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.texts = /** @type {HTMLElement} */ (document.querySelector("template[data-texts]")).dataset;
    this.status = this.find("[data-status]");
    /** @type {Record<string, string>} */
    this.shown = JSON.parse(this.hidden("shown").value);
    this.names = Object.keys(this.shown).filter((name) => fieldsOf(form, name).length > 0);
    // What each field holds in the draft, as far as this page knows.
    this.saved = new Map(this.names.map((name) => [name, this.first(name)]));
    /** @type {Set<string>} */
    this.changed = new Set();
    this.timers = { estimate: 0, save: 0 };
    this.isSaving = false;
    this.isRenewed = false;
    this.asked = 0;
    this.undo = /** @type {HTMLButtonElement} */ (this.find("[data-undo]"));
    this.redo = /** @type {HTMLButtonElement} */ (this.find("[data-redo]"));
    this.history = new History(`design ${form.dataset.study}`, () => this.showHistory());
    this.listen();
    this.showHistory();
    this.find("[data-tools]").hidden = false;
    this.find("[data-plain]").hidden = true;
    // A browser that restored the fields of an earlier visit, or a form that was refused.
    for (const name of this.names) if (!isSame(read(form, name), this.saved.get(name) ?? [])) this.edit(name);
  }

  listen() {
    const { form } = this;
    // Only the server knows what is wrong, and it is asked after every change.
    recheckBy(form, (line) => line.textContent ?? "");
    form.addEventListener("input", ({ target }) => this.edited(target, SAVE_AFTER));
    form.addEventListener("change", ({ target }) => this.edited(target, 50));
    listen(form, (name) => this.edit(name, 50));
    form.addEventListener("focusout", () => { this.history.isTyping = false; });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = /** @type {HTMLButtonElement | null} */ (/** @type {SubmitEvent} */ (event).submitter);
      void this.save(button?.name === "reset" ? button.value : "");
    });
    this.undo.addEventListener("click", () => void this.step(true));
    this.redo.addEventListener("click", () => void this.step(false));
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isText(event.target)) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      void this.step(key === "z" && !event.shiftKey);
    });
    document.addEventListener("visibilitychange", () => { if (document.hidden && this.isDue) void this.save(); });
    addEventListener("pagehide", () => { if (this.isDue) void this.save(); });
  }

  get isDue() {
    return this.timers.save !== 0;
  }

  /** @param {EventTarget | null} target @param {number} wait */
  edited(target, wait) {
    const name = target instanceof HTMLElement ? target.getAttribute("name") ?? "" : "";
    if (this.saved.has(name)) this.edit(name, wait);
  }

  /** @param {string} name @param {number} wait */
  edit(name, wait = SAVE_AFTER) {
    const isBack = isSame(read(this.form, name), this.saved.get(name) ?? []);
    if (isBack && !this.changed.has(name)) return;
    this.changed.add(name);
    clearTimeout(this.timers.estimate);
    clearTimeout(this.timers.save);
    this.timers.estimate = setTimeout(() => void this.estimate(), ESTIMATE_AFTER);
    this.timers.save = setTimeout(() => void this.save(), wait);
  }

  /** Show what the changed settings would ask of raters, and what is wrong with them. */
  async estimate() {
    const turn = ++this.asked;
    const names = [...this.changed];
    try {
      const response = await fetch(this.form.dataset.estimate ?? "", { method: "POST", body: this.body(names) });
      if (!response.ok || response.redirected) return;
      const { problems, panel } = await response.json();
      if (turn !== this.asked || this.isSaving) return;
      this.showPanel(panel);
      for (const name of names) this.showProblem(name, problems[name] ?? "");
    } catch {
      // The next change asks again, and saving says when there is no connection.
    }
  }

  /** @param {string} reset @param {boolean} isStep whether this is undoing or redoing */
  async save(reset = "", isStep = false) {
    clearTimeout(this.timers.save);
    clearTimeout(this.timers.estimate);
    this.timers.save = 0;
    if (this.isSaving) {
      this.timers.save = setTimeout(() => void this.save(reset, isStep), 100);
      return false;
    }
    if (reset) this.changed.delete(reset);
    const names = [...this.changed];
    if (names.length === 0 && !reset) return false;
    const sent = new Map(names.map((name) => [name, read(this.form, name)]));
    const body = this.body(names);
    if (reset) body.set("reset", reset);
    this.isSaving = true;
    this.asked += 1;
    this.say(this.texts.saving);
    try {
      const response = await fetch(this.form.dataset.save ?? "", { method: "POST", body, keepalive: document.hidden });
      // Another refusal with a fresh token is one of the role.
      if (isSignedOut(response) && (response.redirected || !this.isRenewed)) {
        this.say(this.texts.signedOut);
        const token = this.hidden("csrfmiddlewaretoken");
        const fresh = await freshToken();
        this.isRenewed = fresh !== "";
        token.value = fresh || token.value;
        return this.later(reset, isStep);
      }
      this.isRenewed = false;
      if (!response.ok) {
        this.say(this.texts.failed);
        return false;
      }
      return this.take(await response.json(), sent, isStep);
    } catch {
      this.say(this.texts.offline);
      return this.later(reset, isStep);
    } finally {
      this.isSaving = false;
    }
  }

  /** Save again in a while. @param {string} reset @param {boolean} isStep */
  later(reset, isStep) {
    if (reset) this.changed.add(reset);
    this.timers.save = setTimeout(() => void this.save(reset, isStep), AGAIN_AFTER);
    return false;
  }

  /** Show what became of the fields that were sent. @param {any} answer @param {Map<string, string[]>} sent @param {boolean} isStep */
  take(answer, sent, isStep) {
    const changes = [];
    for (const [name, state] of Object.entries(answer.saved)) {
      const before = this.saved.get(name) ?? [];
      if (!isSame(before, state.value)) changes.push({ name, before, after: state.value });
      this.saved.set(name, state.value);
      this.shown[name] = state.shown;
      const isTyped = sent.has(name) && !isSame(read(this.form, name), sent.get(name) ?? []);
      if (!isTyped) {
        this.changed.delete(name);
        // The server may have put it differently, such as a number or a text without spaces at its end.
        if (document.activeElement?.getAttribute("name") !== name || !sent.has(name)) write(this.form, name, state.value);
        this.showProblem(name, "");
      }
      this.showDefault(name, state.is_default);
    }
    // Back at what is saved.
    for (const name of sent.keys()) {
      if (!(name in answer.problems) && !(name in answer.conflicts) && isSame(read(this.form, name), this.saved.get(name) ?? [])) {
        this.changed.delete(name);
        this.showProblem(name, "");
      }
    }
    for (const [name, problem] of Object.entries(answer.problems)) this.showProblem(name, problem);
    for (const [name, conflict] of Object.entries(answer.conflicts)) this.showConflict(name, conflict);
    if (changes.length && !isStep) this.history.add(changes);
    const currency = answer.saved.payment__currency?.words;
    for (const unit of currency ? this.form.querySelectorAll(".ds-unit") : []) unit.textContent = currency;
    this.showPanel(answer.panel);
    const unpublished = /** @type {HTMLElement | null} */ (document.querySelector("[data-unpublished]"));
    if (unpublished) unpublished.hidden = !answer.is_changed;
    const failed = [...Object.keys(answer.problems), ...Object.keys(answer.conflicts)];
    if (failed.length) this.say(this.texts.problems, { settings: this.labels(failed) });
    else this.say(this.texts.saved, { time: new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) });
    return failed.length === 0;
  }

  /** Undo or redo a step, unless one of its fields was changed since. @param {boolean} isUndo */
  async step(isUndo) {
    if (this.isDue) await this.save();
    const changes = isUndo ? this.history.undo() : this.history.redo();
    if (!changes) return;
    const labels = this.labels(changes.map((change) => change.name));
    const isStale = changes.some(({ name, before }) => !this.saved.has(name) || !isSame(read(this.form, name), before));
    if (isStale) {
      this.history.drop(isUndo);
      this.say(this.texts.stale, { settings: labels });
      return;
    }
    for (const { name, after } of changes) {
      write(this.form, name, after);
      this.changed.add(name);
      unfold(this.row(name));
    }
    if (await this.save("", true)) this.say(isUndo ? this.texts.undone : this.texts.redone, { settings: labels });
    else this.history.drop(isUndo);
  }

  /** @param {string} name @param {any} conflict */
  showConflict(name, conflict) {
    this.showProblem(name, conflict.message);
    const choice = document.createElement("span");
    choice.className = "ds-choice";
    const theirs = this.button(this.texts.theirs, () => {
      this.settle(name, conflict);
      write(this.form, name, conflict.value);
      this.changed.delete(name);
      this.showProblem(name, "");
      this.showDefault(name, conflict.is_default);
    });
    const mine = this.button(this.texts.mine, () => {
      this.settle(name, conflict);
      void this.save();
    });
    choice.append(theirs, mine);
    this.problemOf(name)?.append(choice);
  }

  /** Take what somebody else saved as what this page has seen. @param {string} name @param {any} conflict */
  settle(name, conflict) {
    this.shown[name] = conflict.shown;
    this.saved.set(name, conflict.value);
  }

  /** @param {string | undefined} label @param {() => void} press */
  button(label, press) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = label ?? "";
    button.addEventListener("click", press);
    return button;
  }

  /** @param {string} name @param {string} problem */
  showProblem(name, problem) {
    const line = this.problemOf(name);
    if (!line) return;
    line.textContent = problem;
    line.hidden = !problem;
    for (const field of fieldsOf(this.form, name)) {
      if (problem) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
    if (problem) unfold(this.row(name));
  }

  /** @param {string} name @param {boolean} isDefault */
  showDefault(name, isDefault) {
    for (const each of this.row(name)?.querySelectorAll("[data-mark], [data-reset]") ?? []) /** @type {HTMLElement} */ (each).hidden = isDefault;
  }

  /** @param {string} html */
  showPanel(html) {
    const panel = document.querySelector("[data-panel]");
    const fresh = new DOMParser().parseFromString(html, "text/html").body;
    if (panel && panel.innerHTML.trim() !== fresh.innerHTML.trim()) panel.replaceChildren(...fresh.childNodes);
  }

  showHistory() {
    this.undo.disabled = this.history.undoable.length === 0;
    this.redo.disabled = this.history.redoable.length === 0;
  }

  /** @param {string[]} names */
  body(names) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.hidden("csrfmiddlewaretoken").value);
    body.set("shown", JSON.stringify(Object.fromEntries(names.map((name) => [name, this.shown[name]]))));
    for (const name of names) {
      body.append("changed", name);
      for (const value of read(this.form, name)) body.append(name, value);
    }
    return body;
  }

  /** What a field holds as the page was sent. @param {string} name @returns {string[]} */
  first(name) {
    return fieldsOf(this.form, name).flatMap((field) => {
      if (field instanceof HTMLSelectElement) return [...field.options].filter((option) => option.defaultSelected).map((option) => option.value);
      if (field instanceof HTMLInputElement && field.type === "checkbox") return field.defaultChecked ? [field.value] : [];
      return [field.defaultValue];
    });
  }

  /** @param {string | undefined} text @param {Record<string, string>} values */
  say(text, values = {}) {
    this.status.textContent = Object.entries(values).reduce((sentence, [name, value]) => sentence.replace(`{${name}}`, value), text ?? "");
  }

  /** @param {string[]} names */
  labels(names) {
    return names.map((name) => this.row(name)?.querySelector(".ds-label > :first-child")?.textContent ?? name).join(", ");
  }

  /** @param {string} name @returns {HTMLElement | null} */
  row(name) {
    return this.form.querySelector(`[data-row="${CSS.escape(name)}"]`);
  }

  /** @param {string} name */
  problemOf(name) {
    return document.getElementById(`${name}-problem`);
  }

  /** @param {string} name */
  hidden(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
  }

  /** @param {string} selector */
  find(selector) {
    return /** @type {HTMLElement} */ (this.form.querySelector(selector));
  }
}

/** @param {EventTarget | null} target */
function isText(target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "radio");
}

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form#design"));
if (form) {
  if (form.elements.namedItem("shown")) new DesignPage(form);
  search(form);
}
