import Task from "../rater/task.js";
import { part, parts } from "../rater/page.js";

/** The option of every question that asks for a comment. */
const OTHER = "other";

/**
 * A passage and its questions, each with a comment that appears with Other.
 *
 * @typedef {{key: string, prompt: string, options: {key: string, text: string}[]}} Question
 */
export default class SpMcqa extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.questions = this.part("[data-questions]");
    this.isLate = this.questions.dataset.visible === "after";
    form.addEventListener("input", () => this.offerComments());
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    /** @type {Question[]} */
    const asked = trial.shown.questions;
    this.questions.replaceChildren(...asked.map((question, index) => this.fieldset(question, index + 1)));
    this.show(!this.isLate);
    super.reset(trial);
    this.offerComments();
  }

  /**
   * @param {Question} question
   * @param {number} number
   */
  fieldset(question, number) {
    const [answer, comment] = [`answers.${question.key}`, `comments.${question.key}`];
    const copy = this.copy("template[data-question]");
    const fieldset = part(copy, "fieldset");
    fieldset.dataset.question = question.key;
    part(copy, "[data-number]").textContent = `${number}.`;
    part(copy, "[data-prompt]").textContent = question.prompt;
    tie(fieldset, part(copy, '[data-problem="answers"]'), answer);
    this.nameKinds(copy, `kinds.${question.key}`);
    const text = part(copy, "textarea", HTMLTextAreaElement);
    text.name = text.id = comment;
    part(copy, ".comment .field label", HTMLLabelElement).htmlFor = comment;
    tie(text, part(copy, '[data-problem="comments"]'), comment);
    part(copy, "[data-options]").append(...question.options.map((option, index) => this.option(answer, option, index + 1)));
    return copy;
  }

  /**
   * Name the radios that say why Other was chosen, where the study asks for it.
   * @param {DocumentFragment} copy
   * @param {string} name
   */
  nameKinds(copy, name) {
    const kinds = copy.querySelector("[data-kinds]");
    if (!(kinds instanceof HTMLElement)) return;
    for (const radio of kinds.querySelectorAll("input")) radio.name = name;
    tie(kinds, part(copy, '[data-problem="kinds"]'), name);
  }

  /**
   * @param {string} name
   * @param {{key: string, text: string}} option
   * @param {number} number
   */
  option(name, option, number) {
    const copy = this.copy("template[data-option]");
    const radio = part(copy, "input", HTMLInputElement);
    radio.name = name;
    radio.value = option.key;
    // The one option that is the researcher's words and not the passage's: it is in the rater's language.
    part(copy, "span").textContent = option.key === OTHER ? this.part("template[data-option]").dataset.other ?? "" : option.text;
    part(copy, "kbd").textContent = String(number);
    return copy;
  }

  /** @param {string} selector */
  copy(selector) {
    return /** @type {DocumentFragment} */ (this.part(selector, HTMLTemplateElement).content.cloneNode(true));
  }

  /** Show the comments of those questions whose answer is Other; the others are no part of the form. */
  offerComments() {
    for (const fieldset of this.fieldsets()) {
      const isOther = part(fieldset, `input[value="${OTHER}"]`, HTMLInputElement).checked;
      part(fieldset, "[data-comment]").hidden = !isOther;
      for (const field of fieldset.querySelectorAll("[data-comment] :is(input, textarea)")) field.toggleAttribute("disabled", !isOther);
    }
  }

  /** @returns {HTMLElement[]} */
  fieldsets() {
    return parts(this.questions, "fieldset[data-question]");
  }

  /** @param {boolean} isShown */
  show(isShown) {
    this.questions.hidden = !isShown;
    if (this.isLate) this.part("[data-wait]").hidden = isShown;
  }

  /** The questions may have to wait until the passage was heard. @param {import("../rater/player.js").Player[]} players */
  listening(players) {
    if (players.every((player) => player.wasHeard)) this.show(true);
  }

  /** @returns {{answers: Record<string, string>, comments: Record<string, string>}} */
  answer() {
    /** @type {Record<string, Record<string, string>>} */
    const answer = { answers: {}, comments: {}, kinds: {} };
    for (const field of this.fields()) {
      const [group, key] = field.name.split(".");
      if (field.disabled || (field.type === "radio" && !field.checked)) continue;
      answer[group][key] = field.value;
    }
    return /** @type {any} */ (answer);
  }

  /** @param {Record<string, any>} answer */
  restore(answer) {
    const groups = Object.entries(answer).flatMap(([group, given]) =>
      Object.entries(given).map(([key, value]) => [`${group}.${key}`, value]),
    );
    super.restore(Object.fromEntries(groups));
  }

  check() {
    const found = super.check();
    // The server takes no blanks for a comment.
    for (const field of this.fields()) {
      if (field.type !== "textarea" || field.disabled || field.value.trim() || field.name in found) continue;
      found[field.name] = this.part(`[data-problem="${field.name}"]`).dataset.missing ?? "";
    }
    return found;
  }

  /** @param {Record<string, string>} problems */
  problems(problems) {
    // Nobody can mend what they can't see.
    if (Object.keys(problems).length > 0) this.show(true);
    return super.problems(problems);
  }

  /**
   * Numbers choose in the question that has the focus, else in the first that has no answer.
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (this.questions.hidden || !/^[1-9]$/.test(event.key)) return false;
    const fieldset =
      document.activeElement?.closest("fieldset[data-question]") ?? this.fieldsets().find((each) => !each.querySelector(":checked"));
    const radio = fieldset?.querySelectorAll("[data-options] input")[Number(event.key) - 1];
    if (!(radio instanceof HTMLInputElement)) return false;
    radio.focus();
    radio.click();
    return true;
  }
}

/**
 * Tie the line that says what is wrong to its field.
 * @param {HTMLElement} field
 * @param {HTMLElement} line
 * @param {string} name
 */
function tie(field, line, name) {
  line.dataset.problem = name;
  line.id = `${name}-problem`;
  field.setAttribute("aria-describedby", line.id);
}
