import Task from "../rater/task.js";
import { fill, part, parts } from "../rater/page.js";

const DIGIT = /^[1-9]$/;

/** Several scales for one clip: all on one page, one after the other, each after another play, or one in each pass through the clips. */
export default class Scales extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.box = this.part("[data-scales]");
    this.all = parts(this.box, "[data-scale]").map((root) => new Scale(root));
    this.scales = this.all; // those that the trial asks
    this.pass = 1;
    this.isStepped = this.box.dataset.way === "page_each";
    this.at = 0;
    /** @type {import("../rater/player.js").Player[]} */
    this.players = [];
  }

  get step() {
    return this.at;
  }

  get isBeforeLast() {
    return this.isStepped && this.at < this.scales.length - 1;
  }

  /** The scales in the order drawn, without answers. @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    /** @type {string[]} */
    const order = trial.shown.scales;
    this.scales = order.flatMap((name) => this.all.filter((scale) => scale.name === name));
    this.box.append(...this.scales.map((scale) => scale.root));
    super.reset(trial);
    this.all.forEach((scale) => scale.clear());
    this.goTo(0);
    this.tellPass(trial.shown.pass, trial.shown.passes);
  }

  /** The question of a new pass is announced; a reload announces it again. @param {number | undefined} number @param {number} size */
  tellPass(number, size) {
    const line = this.box.querySelector("[data-pass]");
    if (!(line instanceof HTMLElement) || number === undefined) return;
    const isNew = number !== this.pass;
    this.pass = number;
    line.textContent = fill(line.dataset.pass ?? "", { number, size });
    part(this.box, "[data-again]").hidden = !isNew;
  }

  /** @param {number} step */
  goTo(step) {
    this.at = step;
    this.all.forEach((scale) => scale.show(this.scales.includes(scale) && (!this.isStepped || scale === this.scales[step])));
    const line = this.box.querySelector("[data-step]");
    if (!(line instanceof HTMLElement)) return;
    line.textContent = fill(line.dataset.step ?? "", { number: step + 1, size: this.scales.length });
  }

  /** @param {number} index @returns {string | null} */
  called(index) {
    const { name, referenceName } = this.box.dataset;
    if (name === undefined) return null;
    return (index === 0 ? referenceName : name) ?? "";
  }

  /** A reference that comes first hides the clip until it was heard. @param {import("../rater/player.js").Player[]} players */
  listening(players) {
    const { after } = this.box.dataset;
    if (after !== "first" && after !== "prompt") return;
    players.forEach((player, index) => (player.root.hidden = index > 0 && !players[0].wasHeard));
  }

  /** @returns {{answers: Record<string, string | string[]>}} */
  answer() {
    const chosen = this.scales.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
    return { answers: Object.fromEntries(chosen) };
  }

  /** @param {{answers?: Record<string, string | string[]>}} answer */
  restore({ answers = {} }) {
    for (const scale of this.scales) if (scale.name in answers) scale.choose(answers[scale.name]);
  }

  check() {
    const missing = this.scales.filter((scale) => scale.isShown && scale.value === null);
    return Object.fromEntries(missing.map(({ name, problem }) => [`answers.${name}`, problem.dataset.missing ?? ""]));
  }

  /** Digits choose on the scale that has the focus, else on the first that has no answer. @param {KeyboardEvent} event */
  key(event) {
    if (!DIGIT.test(event.key)) return false;
    const shown = this.scales.filter((scale) => scale.isShown);
    const scale =
      shown.find((each) => each.root.contains(document.activeElement)) ?? shown.find((each) => each.value === null) ?? shown[0];
    return scale.press(event.key);
  }
}

/** The answers of one scale: buttons, check boxes, a slider that is empty until it was moved, or text. */
class Scale {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.name = root.dataset.scale ?? "";
    this.radios = parts(root, "input[type=radio]", HTMLInputElement);
    this.boxes = parts(root, "input[type=checkbox]:not([data-nothing])", HTMLInputElement);
    this.slider = /** @type {HTMLInputElement | null} */ (root.querySelector("[data-slider]"));
    this.text = root.querySelector("textarea");
    this.nothing = /** @type {HTMLInputElement | null} */ (root.querySelector("[data-nothing]"));
    this.problem = part(root, "[data-problem]");
    this.isRated = false;
    this.nothing?.addEventListener("input", () => this.hearNothing(this.nothing?.checked ?? false));
    this.slider?.addEventListener("input", () => this.rate(true));
    for (const box of this.boxes) box.addEventListener("change", () => this.follow(box));
    // A click in the middle changes no value, and chooses one all the same.
    this.slider?.addEventListener("click", () => this.isRated || this.slider?.dispatchEvent(new Event("input", { bubbles: true })));
  }

  get isShown() {
    return !this.root.hidden;
  }

  /** A step that isn't shown is no part of the form. @param {boolean} isShown */
  show(isShown) {
    this.root.hidden = !isShown;
    if (this.root instanceof HTMLFieldSetElement) this.root.disabled = !isShown;
  }

  clear() {
    this.rate(false);
    this.hearNothing(false);
  }

  /** An empty transcript is an answer where the listener says so. @param {boolean} isNothing */
  hearNothing(isNothing) {
    if (!this.nothing || !this.text) return;
    this.nothing.checked = isNothing;
    this.text.disabled = isNothing;
    if (isNothing) this.text.value = "";
  }

  /** @param {boolean} isRated */
  rate(isRated) {
    this.isRated = isRated;
    if (!this.slider) return;
    const shown = isRated ? this.slider.value : (this.slider.dataset.empty ?? "");
    this.slider.setAttribute("aria-valuetext", shown);
    part(this.root, "[data-value]").textContent = shown;
    part(this.root, ".slide").classList.toggle("unrated", !isRated);
  }

  /** “None of these” excludes all others. @param {HTMLInputElement} changed */
  follow(changed) {
    if (!changed.checked) return;
    const isNone = "none" in changed.dataset;
    for (const box of this.boxes) if (box !== changed && (isNone || "none" in box.dataset)) box.checked = false;
  }

  /** @returns {string | string[] | null} */
  get value() {
    if (this.boxes.length > 0) {
      const chosen = this.boxes.filter((box) => box.checked).map((box) => box.value);
      return chosen.length > 0 ? chosen : null;
    }
    if (this.slider) return this.isRated ? String(Number(this.slider.value)) : null;
    if (this.nothing?.checked) return "";
    if (this.text) return this.text.value.trim() || null;
    return this.radios.find((radio) => radio.checked)?.value ?? null;
  }

  /** @param {string | string[]} value */
  choose(value) {
    if (Array.isArray(value)) {
      for (const box of this.boxes) box.checked = value.includes(box.value);
      return;
    }
    if (this.text) this.text.value = value;
    this.hearNothing(value === "");
    for (const radio of this.radios) radio.checked = radio.value === value;
    if (!this.slider) return;
    this.slider.value = value;
    this.rate(true);
  }

  /** Numbers choose by their value where every answer is such a number, else by place. @param {string} digit */
  press(digit) {
    const isNumbered = this.radios.every((radio) => DIGIT.test(radio.value));
    const inputs = [...this.radios, ...this.boxes];
    const chosen = isNumbered && this.radios.length > 0 ? inputs.find((input) => input.value === digit) : inputs[Number(digit) - 1];
    if (!chosen) return false;
    chosen.focus();
    chosen.click();
    return true;
  }
}
