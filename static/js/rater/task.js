import { recheckBy } from "../forms/problems.js";
import { part, parts } from "./page.js";

/**
 * The form of any task type: reads and restores its fields, shows problems beside them, counts how text came in.
 *
 * A task type whose form needs more exports a class of its own that extends this one, as the default export of
 * static/js/task_types/<name>.js.
 *
 * A <template data-texts> in its template says in its own words what the trial page says.
 *
 * @typedef {{token: string, shown: Record<string, any>, clips: import("./player.js").Clip[], playback: string}} Trial
 * @typedef {{answer: Record<string, any>, writing?: Counts, step?: number}} Draft
 */
export default class Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    if (!(form instanceof HTMLFormElement)) throw new Error("A task needs its form.");
    this.form = form;
    this.writing = new Writing(form);
    // What the server alone can check counts as right once it was changed; it is checked again when it is sent.
    recheckBy(form, (line) => this.check()[line.dataset.problem ?? ""] ?? "");
  }

  /** Show an empty form for a trial, its options in the order drawn. @param {Trial} trial */
  reset(trial) {
    showContext(document.querySelector("[data-context]"), trial.shown.context);
    if (Array.isArray(trial.shown.options)) this.arrange(this.part("[data-options]"), trial.shown.options);
    this.form.reset();
    this.writing.clear();
    this.problems({});
  }

  /**
   * Put options in an order, each with the key that chooses it.
   * @param {HTMLElement} place what holds the options, each in an element of its own
   * @param {(string | number)[]} values
   * @param {(index: number) => string} [key]
   */
  arrange(place, values, key = (index) => String(index + 1)) {
    values.forEach((value, index) => {
      const option = [...place.children].find((child) => child.querySelector(`input[value="${value}"]`));
      if (!option) throw new Error(`The form has no option ${value}.`);
      const hint = option.querySelector("kbd");
      if (hint) hint.textContent = key(index);
      place.append(option);
    });
  }

  /**
   * Say where the player of a clip belongs; null: with the others, above the form.
   * @param {number} index
   * @returns {HTMLElement | null}
   */
  place(index) {
    void index;
    return null;
  }

  /** Name a clip; null: by its letter, where there are several. @param {number} index @returns {string | null} */
  called(index) {
    void index;
    return null;
  }

  /** Whether a clip goes on at the place where the one before it was left. */
  get isInStep() {
    return false;
  }

  /** The number of the step that the form shows, from 0: most forms have only one. */
  get step() {
    return 0;
  }

  /** Whether other steps of the form follow. */
  get isBeforeLast() {
    return false;
  }

  /** Show a step of the form. @param {number} step */
  goTo(step) {
    void step;
  }

  /** Show the next step, for which these clips are to be heard again. @param {import("./player.js").Player[]} players */
  advance(players) {
    this.goTo(this.step + 1);
    players.forEach((player) => player.askAgain());
  }

  /** What a reload needs to continue. */
  get draft() {
    return { answer: this.answer(), writing: this.writing.evidence, step: this.step };
  }

  /** Continue after a reload. @param {Draft} draft */
  resume({ answer, writing, step = 0 }) {
    this.restore(answer);
    this.goTo(step);
    this.writing.restore(writing);
  }

  /** Take note that a player has begun, ended, or been heard. @param {import("./player.js").Player[]} players */
  listening(players) {
    void players;
  }

  /** Return what was filled in: one entry a field, a list where several may be ticked. @returns {Record<string, any>} */
  answer() {
    /** @type {Record<string, any>} */
    const answer = {};
    for (const field of this.fields()) {
      if (field.type === "checkbox") {
        answer[field.name] ??= [];
        if (field.checked) answer[field.name].push(field.value);
      } else if (field.type === "radio") {
        if (field.checked) answer[field.name] = field.closest("[data-numbers]") ? Number(field.value) : field.value;
      } else if (field.type === "number" || field.type === "range") {
        if (field.value !== "") answer[field.name] = Number(field.value);
      } else {
        answer[field.name] = field.value;
      }
    }
    return answer;
  }

  /** Put back what was filled in before a reload. @param {Record<string, any>} answer */
  restore(answer) {
    for (const field of this.fields()) {
      const value = answer[field.name];
      if (field.type === "checkbox") field.checked = Array.isArray(value) && value.includes(field.value);
      else if (field.type === "radio") field.checked = String(value) === field.value;
      else if (value !== undefined) field.value = String(value);
    }
    this.form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Say what is missing before anything is sent; the server checks again. @returns {Record<string, string>} */
  check() {
    /** @type {Record<string, string>} */
    const found = {};
    for (const field of this.fields()) {
      // A disabled radio of a required group is invalid, although it can't be filled in.
      if (field.name in found || !field.willValidate || field.validity.valid) continue;
      const line = this.form.querySelector(`[data-problem="${field.name}"]`);
      found[field.name] = (line instanceof HTMLElement && line.dataset.missing) || field.validationMessage;
    }
    return found;
  }

  /**
   * Show problems beside their fields and go to the first.
   * @param {Record<string, string>} problems
   * @returns {string[]} those that have no place in this form
   */
  problems(problems) {
    /** @type {Set<string>} */
    const placed = new Set();
    for (const line of parts(this.form, "[data-problem]")) {
      const name = line.dataset.problem ?? "";
      line.textContent = problems[name] ?? "";
      line.hidden = !(name in problems);
      line.closest("[data-field]")?.classList.toggle("wrong", name in problems);
      placed.add(name);
    }
    for (const field of this.fields()) {
      if (field.name in problems) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
    this.fields().find((field) => field.name in problems)?.focus();
    return Object.entries(problems).flatMap(([name, problem]) => (placed.has(name) ? [] : [problem]));
  }

  /** Return counts that say how the answer came to be. @returns {Record<string, any>} */
  evidence() {
    return { inputs: this.writing.evidence };
  }

  /**
   * Handle a key while single-key shortcuts are on; numbers choose among the options in the order shown, or by their
   * value where every value is such a number.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was ours
   */
  key(event) {
    const radios = parts(this.form, "[data-options] input[type=radio]", HTMLInputElement);
    if (!/^[1-9]$/.test(event.key)) return false;
    const isNumbered = radios.every((radio) => /^[1-9]$/.test(radio.value));
    const chosen = isNumbered ? radios.find((radio) => radio.value === event.key) : radios[Number(event.key) - 1];
    if (!chosen) return false;
    chosen.focus();
    chosen.click();
    return true;
  }

  /** @returns {HTMLInputElement[]} */
  fields() {
    return /** @type {HTMLInputElement[]} */ (
      [...this.form.elements].filter((field) => "name" in field && field.name && field.tagName !== "BUTTON" && field.tagName !== "FIELDSET")
    );
  }

  /** @template {HTMLElement} [Kind=HTMLElement] @param {string} selector @param {new () => Kind} [kind] */
  part(selector, kind) {
    return part(this.form, selector, kind);
  }
}

/**
 * Show what comes before a clip, for every clip in the same place: the dialogue, and how the clip should sound.
 *
 * @typedef {{style: string, turns: {speaker: string, text: string}[], language: string}} Context
 * @param {HTMLElement | null} box null: the study shows none
 * @param {Context | undefined} context
 */
export function showContext(box, context) {
  if (!box || !context) return;
  const fill = (/** @type {HTMLElement} */ line, /** @type {string} */ text) => {
    line.textContent = text;
    line.dir = "auto";
    line.lang = context.language;
    return line;
  };
  const lines = context.turns.flatMap(({ speaker, text }) => [
    fill(document.createElement("dt"), speaker || "–"),
    fill(document.createElement("dd"), text),
  ]);
  part(box, "[data-turns]").replaceChildren(...lines);
  part(box, "[data-turns]").hidden = !lines.length;
  fill(part(box, "[data-style]"), context.style);
  part(box, "[data-style-row]").hidden = !context.style;
}

/**
 * How text came into a form, in counts alone: no text, no key, and no moment but whole seconds.
 *
 * A composition is typing, as an input method does it. Text that was cut or copied in the same form was only moved.
 *
 * @typedef {{types: Record<string, number>, keys: number, compositions: number, chars_composed: number, pastes: number,
 *            chars_pasted: number, drops: number, chars_dropped: number, chars_moved: number, insertions: number,
 *            deletions: number, largest_insert: number, first_key_s: number | null, away_s: number, blurs: number,
 *            after_away: number, touch: boolean}} Counts
 */

const MOST = 1_000_000; // what the server takes
const KINDS = 40;
const AWAY = 5000; // milliseconds after which somebody was away

export class Writing {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.counts = zeroCounts();
    this.shown = this.away = 0; // milliseconds
    this.own = "";
    /** @type {number | null} */
    this.left = null;
    this.clear();
    form.addEventListener("input", (event) => event instanceof InputEvent && this.input(event));
    form.addEventListener("keydown", () => {
      this.counts.keys += 1;
      this.begin();
    });
    form.addEventListener("compositionend", (event) => {
      this.counts.compositions += 1;
      this.counts.chars_composed += event.data.length;
      this.counts.largest_insert = Math.max(this.counts.largest_insert, event.data.length);
      this.isBack = false;
    });
    form.addEventListener("paste", (event) => this.bring("pastes", "chars_pasted", event.clipboardData));
    form.addEventListener("drop", (event) => this.bring("drops", "chars_dropped", event.dataTransfer));
    for (const name of ["copy", "cut", "dragstart"]) form.addEventListener(name, (event) => (this.own = selected(event.target)));
    addEventListener("blur", () => {
      this.counts.blurs += 1;
      this.leave();
    });
    addEventListener("focus", () => this.comeBack());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.leave() : this.comeBack()));
  }

  /** Begin anew, for another trial. */
  clear() {
    this.counts = zeroCounts();
    this.shown = performance.now();
    this.own = "";
    this.away = 0;
    this.isBack = false;
    this.left = document.hidden ? this.shown : null;
  }

  /** Go on counting after a reload. @param {Counts | undefined} counts */
  restore(counts) {
    if (!counts) return;
    Object.assign(this.counts, counts);
    this.away = counts.away_s * 1000;
  }

  /** Return what was counted, as it is kept and sent. @returns {Counts} */
  get evidence() {
    const now = this.left === null ? 0 : performance.now() - this.left;
    /** @type {Record<string, any>} */
    const found = { ...this.counts, away_s: Math.round((this.away + now) / 1000) };
    for (const [name, value] of Object.entries(found)) if (typeof value === "number") found[name] = Math.min(value, MOST);
    return /** @type {Counts} */ (found);
  }

  /** @param {InputEvent} event */
  input(event) {
    const { types } = this.counts;
    const kind = /^[A-Za-z]{1,40}$/.test(event.inputType) ? event.inputType : "unknown";
    if (kind in types || Object.keys(types).length < KINDS - 1) types[kind] = (types[kind] ?? 0) + 1;
    if (kind.startsWith("delete")) this.counts.deletions += 1;
    else this.counts.insertions += 1;
    this.begin();
    // Other blocks have events of their own, which tell what is in them.
    if (!event.isComposing && !["insertFromPaste", "insertFromDrop"].includes(kind)) this.block((event.data ?? "").length);
  }

  /**
   * Note that something was brought in whole.
   * @param {"pastes" | "drops"} times
   * @param {"chars_pasted" | "chars_dropped"} chars
   * @param {DataTransfer | null} from
   */
  bring(times, chars, from) {
    const text = from?.getData("text/plain") ?? "";
    const isOwn = text !== "" && text === this.own;
    if (isOwn) {
      this.counts.chars_moved += text.length;
    } else {
      this.counts[times] += 1;
      this.counts[chars] += text.length;
      this.block(text.length);
    }
    this.begin();
  }

  /** So much came in at once. @param {number} length */
  block(length) {
    const { counts } = this;
    counts.largest_insert = Math.max(counts.largest_insert, length);
    if (!this.isBack || length === 0) return;
    counts.after_away = Math.max(counts.after_away, length);
    this.isBack = false;
  }

  begin() {
    this.counts.first_key_s ??= Math.round((performance.now() - this.shown) / 1000);
  }

  leave() {
    this.left ??= performance.now();
  }

  comeBack() {
    if (this.left === null || document.hidden) return;
    const gone = performance.now() - this.left;
    this.left = null;
    this.away += gone;
    if (gone >= AWAY) this.isBack = true;
  }
}

/** @returns {Counts} of a form before any input */
function zeroCounts() {
  return {
    types: {}, keys: 0, compositions: 0, chars_composed: 0, pastes: 0, chars_pasted: 0, drops: 0, chars_dropped: 0,
    chars_moved: 0, insertions: 0, deletions: 0, largest_insert: 0, first_key_s: null, away_s: 0, blurs: 0,
    after_away: 0, touch: matchMedia("(pointer: coarse)").matches,
  };
}

/** @param {EventTarget | null} field @returns {string} */
function selected(field) {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return "";
  return field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
}
