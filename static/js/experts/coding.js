import { part, parts } from "../rater/page.js";
import { Desk, open } from "./desk.js";
import { Words } from "./words.js";

/**
 * Coding: what a rater names, by codes of a human or a machine cue, each with the words that carry it.
 *
 * @typedef {{code: string, polarity: string, start: number | null, stop: number | null}} Mark
 * @typedef {import("./desk.js").Item & {kind: "reason" | "comment", text: string, question: string,
 *           answers: {clip: string, label: string}[]}} Item
 */

class CodingDesk extends Desk {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.words = new Words(part(root, "[data-part=words]"));
    /** @type {Mark[]} */
    this.marks = [];
    this.polarity = "";
    // The first of two digits: a shelf of codes.
    this.shelf = "";
    this.words.addEventListener("chosen", () => this.say("chosen", { words: this.words.text(this.words.run ?? { start: 0, stop: 0 }) }));
    for (const button of parts(root, "[data-code]")) this.press(button, (one) => this.mark(one));
    for (const button of parts(root, "[data-polarity]")) this.press(button, (one) => this.turn(one.dataset.polarity ?? ""));
    for (const button of root.querySelectorAll("[data-do=save]")) button.addEventListener("click", () => this.save());
    for (const button of root.querySelectorAll("[data-do=none]")) button.addEventListener("click", () => this.none());
  }

  /**
   * Hear a button. A pointer leaves the focus where single keys work; whoever came to it by Tab stays on it.
   * @param {HTMLElement} button
   * @param {(button: HTMLElement) => void} action
   */
  press(button, action) {
    button.addEventListener("click", (event) => {
      action(button);
      if (event.detail > 0) this.focus();
    });
  }

  /** @param {Item} item */
  fill(item) {
    this.load(item.clips);
    this.tellLabels(item.answers);
    this.tellText(item.clips);
    part(this.root, "[data-part=labels-row]").hidden = item.answers.length === 0;
    part(this.root, "[data-part=asked]").textContent = item.question;
    part(this.root, "[data-part=asked-row]").hidden = !item.question;
    part(this.root, "#question").textContent = this.texts.get(`question_${item.kind}`);
    part(this.root, "#written").textContent = this.texts.get(`written_${item.kind}`);
    part(this.root, "[data-part=plain]").textContent = item.text;
    for (const book of parts(this.root, "[data-book]")) book.hidden = book.dataset.book !== item.kind;
    this.words.show(item.text);
    this.turn("");
    this.reach("");
  }

  draft() {
    return { ...super.draft(), marks: this.marks };
  }

  /** @param {{note: string, marks: Mark[]} | undefined} draft */
  resume(draft) {
    super.resume(draft);
    this.marks = draft?.marks ?? [];
    this.list();
  }

  /** @param {{back: string, marks: Mark[]}} body */
  taken({ back, marks }) {
    this.drafts.set(back, { note: "", marks });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.item) return super.key(event);
    const name = event.key.toLowerCase();
    const isOnControl = /** @type {Element} */ (event.target).matches("button, a, input, summary");
    if (/^\d$/.test(name)) this.digit(name);
    else if (name === "h" && this.wantsPolarity) this.turn("human");
    else if (name === "m" && this.wantsPolarity) this.turn("machine");
    else if (name === "w") this.words.focus();
    else if (name === "backspace" && this.marks.length > 0) this.drop(this.marks[this.marks.length - 1]);
    else if (name === "escape") this.leave();
    else if (name === "enter" && !isOnControl) this.save();
    else return super.key(event);
    return true;
  }

  get wantsPolarity() {
    return this.item?.kind === "reason";
  }

  /** @param {string} digit */
  digit(digit) {
    if (digit === "0" && !this.shelf) return this.none();
    const wanted = this.shelf + digit;
    const shown = parts(this.root, "[data-book]:not([hidden]) [data-code]");
    const code = shown.find((button) => button.dataset.key === wanted);
    if (code) {
      this.mark(code);
      this.reach("");
    } else this.reach(shown.some((button) => button.dataset.key?.startsWith(wanted)) ? wanted : "");
  }

  /** Look at one shelf of codes. @param {string} shelf */
  reach(shelf) {
    this.shelf = shelf;
    for (const each of parts(this.root, "[data-shelf]")) each.classList.toggle("reached", shelf !== "" && each.dataset.shelf === shelf);
    const found = this.root.querySelector("[data-book]:not([hidden]) .reached legend");
    if (found) this.say("reached", { name: found.textContent?.trim() ?? "" });
  }

  /** Say as what cue the next codes are found. @param {string} polarity */
  turn(polarity) {
    this.polarity = polarity;
    for (const button of parts(this.root, "[data-polarity]")) {
      button.setAttribute("aria-pressed", String(button.dataset.polarity === polarity));
    }
  }

  /** Find a code, with the words that are chosen; found again just so, it goes. @param {HTMLElement} button */
  mark({ dataset }) {
    const polarity = dataset.fixed || (this.wantsPolarity ? this.polarity : "");
    if (this.wantsPolarity && !polarity) return this.say("polarity_wanted");
    const run = this.words.run;
    const made = { code: dataset.code ?? "", polarity, start: run?.start ?? null, stop: run?.stop ?? null };
    const same = this.marks.find((mark) => mark.code === made.code && mark.polarity === polarity && mark.start === made.start && mark.stop === made.stop);
    this.words.clear();
    if (same) return this.drop(same);
    // Words make more precise what was found without any.
    this.marks = [...this.marks.filter((mark) => run === null || mark.code !== made.code || mark.polarity !== polarity || mark.start !== null), made];
    this.list();
    this.say("marked", { mark: this.name(made) });
  }

  /** @param {Mark} mark */
  drop(mark) {
    this.marks = this.marks.filter((each) => each !== mark);
    this.list();
    this.say("dropped", { mark: this.name(mark) });
  }

  /** @param {Mark} mark */
  name(mark) {
    const code = this.root.querySelector(`[data-book=${this.item?.kind}] [data-code=${mark.code}]`);
    const name = /** @type {HTMLElement | null} */ (code)?.dataset.name ?? mark.code;
    return mark.polarity ? this.texts.get("cue", { name, cue: this.texts.get(mark.polarity) }) : name;
  }

  /** Show what was found. */
  list() {
    this.words.draw(this.marks);
    const found = part(this.root, "[data-part=found]");
    found.replaceChildren(...this.marks.map((mark) => this.line(mark)));
    part(this.root, "[data-part=nothing]").hidden = this.marks.length > 0;
    for (const button of parts(this.root, "[data-code]")) {
      button.setAttribute("aria-pressed", String(this.marks.some((mark) => mark.code === button.dataset.code)));
    }
  }

  /** @param {Mark} mark */
  line(mark) {
    const line = document.createElement("li");
    line.append(this.name(mark));
    if (mark.start !== null) {
      const words = document.createElement("mark");
      words.dir = "auto";
      words.append(this.words.text(mark));
      line.append(" ", words);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = this.texts.get("drop");
    button.setAttribute("aria-label", this.texts.get("drop_this", { mark: this.name(mark) }));
    button.addEventListener("click", () => {
      this.drop(mark);
      this.focus();
    });
    line.append(" ", button);
    return line;
  }

  /** Leave a shelf, or the words, for the keys. */
  leave() {
    this.reach("");
    this.words.clear();
    this.focus();
  }

  save() {
    if (!this.item) return;
    if (this.marks.length === 0) return this.say("code_wanted");
    this.store(this.texts.get("codes", { number: this.marks.length }));
  }

  none() {
    if (!this.item) return;
    if (this.marks.length > 0) return this.say("codes_there");
    this.store(this.texts.get("none"));
  }

  /** @param {string} said */
  store(said) {
    void this.send({ marks: this.marks, note: this.note.value }, said);
  }
}

open(CodingDesk, "coding");
