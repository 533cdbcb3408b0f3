import { showContext } from "./context.js";
import { recheckBy } from "../forms/problems.js";
import { part } from "./texts.js";
import { Writing } from "./writing.js";

/**
 * The form of any task type: reads and restores its fields, shows problems beside them, counts how text came in.
 *
 * A task type whose form needs more exports a class of its own that extends this one, as the default export of
 * static/js/task_types/<name>.js.
 *
 * A <template data-texts> in its template says in its own words what the trial page says.
 *
 * @typedef {{token: string, shown: Record<string, any>, clips: import("./player.js").Clip[], playback: string}} Trial
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
      if (field.name in found || field.validity.valid) continue;
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
    for (const line of this.form.querySelectorAll("[data-problem]")) {
      const name = /** @type {HTMLElement} */ (line).dataset.problem ?? "";
      line.textContent = problems[name] ?? "";
      /** @type {HTMLElement} */ (line).hidden = !(name in problems);
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
    const radios = /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("[data-options] input[type=radio]")]);
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

  /** @param {string} selector */
  part(selector) {
    return part(this.form, selector);
  }
}
