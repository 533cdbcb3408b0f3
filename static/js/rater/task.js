import { part } from "./texts.js";

/**
 * The form of any task type: reads and restores its fields, shows problems beside them, counts how text came in.
 *
 * A task type whose form needs more exports a class of its own that extends this one, as the default export of
 * static/js/task_types/<name>.js.
 *
 * @typedef {{token: string, shown: Record<string, any>, clips: import("./player.js").Clip[]}} Trial
 */
export default class Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    if (!(form instanceof HTMLFormElement)) throw new Error("A task needs its form.");
    this.form = form;
    this.inputs = new Inputs(form);
  }

  /** Show an empty form for a trial. @param {Trial} trial */
  reset(trial) {
    void trial;
    this.form.reset();
    this.inputs.clear();
    this.problems({});
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
        if (field.checked) answer[field.name] = field.value;
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
      else if (field.type === "radio") field.checked = value === field.value;
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
    return { inputs: this.inputs.counts() };
  }

  /**
   * Handle a key while single-key shortcuts are on; numbers choose among the options in the order shown.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was ours
   */
  key(event) {
    const radios = /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("[data-options] input[type=radio]")]);
    const chosen = /^[1-9]$/.test(event.key) ? radios[Number(event.key) - 1] : undefined;
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

/** How text came into the form, in counts only: no timing of single keys. A composition is typing, as an IME does it. */
class Inputs {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.clear();
    form.addEventListener("input", (event) => {
      if (!(event instanceof InputEvent)) return;
      const kind = event.inputType || "unknown";
      this.types[kind] = (this.types[kind] ?? 0) + 1;
      const length = (event.data ?? event.dataTransfer?.getData("text/plain") ?? "").length;
      this.largest = Math.max(this.largest, length);
    });
    form.addEventListener("keydown", () => (this.keys += 1));
    form.addEventListener("compositionend", () => (this.compositions += 1));
    form.addEventListener("paste", (event) => {
      const length = event.clipboardData?.getData("text/plain").length ?? 0;
      this.pasted += length;
      this.largest = Math.max(this.largest, length);
    });
  }

  clear() {
    /** @type {Record<string, number>} */
    this.types = {};
    this.keys = this.compositions = this.pasted = this.largest = 0;
  }

  counts() {
    return {
      types: this.types,
      keys: this.keys,
      compositions: this.compositions,
      chars_pasted: this.pasted,
      largest_insert: this.largest,
    };
  }
}
