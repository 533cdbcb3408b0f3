/**
 * The words of a text, of which a run can be chosen: by arrow keys with Shift, by clicks with Shift, by dragging.
 * Chinese and Japanese are taken character by character. Places count code points, as the server does.
 *
 * Tells "chosen" when the choice changes. The element is a listbox: the words are its options.
 *
 * @typedef {{start: number, stop: number, tail: number}} Word `stop` ends the word, `tail` what stands behind it
 * @typedef {{start: number | null, stop: number | null}} Run
 */

const SINGLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

export class Words extends EventTarget {
  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
    /** @type {Word[]} */
    this.words = [];
    /** @type {string[]} */
    this.letters = [];
    /** @type {number | null} */
    this.anchor = null;
    this.at = 0;
    root.addEventListener("keydown", (event) => this.press(event));
    root.addEventListener("pointerdown", (event) => this.point(event));
    root.addEventListener("pointermove", (event) => this.drag(event));
  }

  /** Show a text, with nothing chosen. @param {string} text @param {Run[]} marks what was marked before */
  show(text, marks = []) {
    this.letters = [...text];
    this.words = cut(text);
    this.anchor = null;
    this.at = 0;
    this.draw(marks);
  }

  /** Show which words are marked. @param {Run[]} marks */
  draw(marks) {
    const isMarked = (/** @type {number} */ place) => marks.some(({ start, stop }) => start !== null && stop !== null && start <= place && place < stop);
    let from = 0;
    this.options = this.words.map((word, index) => {
      const option = document.createElement("span");
      option.setAttribute("role", "option");
      option.dataset.index = String(index);
      for (let start = from; start < word.tail; ) {
        let stop = start + 1;
        while (stop < word.tail && isMarked(stop) === isMarked(start)) stop += 1;
        const piece = this.letters.slice(start, stop).join("");
        const mark = isMarked(start) ? document.createElement("mark") : null;
        mark?.append(piece);
        option.append(mark ?? piece);
        start = stop;
      }
      from = word.tail;
      return option;
    });
    this.root.replaceChildren(...this.options);
    this.look();
  }

  /** The run that is chosen, in code points; null: nothing. @returns {{start: number, stop: number} | null} */
  get run() {
    if (this.anchor === null) return null;
    const [first, last] = [Math.min(this.anchor, this.at), Math.max(this.anchor, this.at)];
    return { start: this.words[first].start, stop: this.words[last].stop };
  }

  /** What stands in a run. @param {Run} run */
  text({ start, stop }) {
    return this.letters.slice(start ?? 0, stop ?? undefined).join("");
  }

  clear() {
    this.anchor = null;
    this.look();
  }

  focus() {
    this.options?.[this.at]?.focus();
  }

  /** Choose up to a word. @param {number} index @param {boolean} further from where the choice began */
  choose(index, further) {
    this.at = Math.max(0, Math.min(this.words.length - 1, index));
    if (!further || this.anchor === null) this.anchor = this.at;
    this.look();
    this.dispatchEvent(new Event("chosen"));
  }

  look() {
    const [first, last] = this.anchor === null ? [1, 0] : [Math.min(this.anchor, this.at), Math.max(this.anchor, this.at)];
    this.options?.forEach((option, index) => {
      option.setAttribute("aria-selected", String(first <= index && index <= last));
      option.tabIndex = index === this.at ? 0 : -1;
    });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.altKey || event.metaKey) return;
    const onward = getComputedStyle(this.root).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const steps = { [onward]: 1, [onward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft"]: -1, ArrowDown: 1, ArrowUp: -1, Home: -this.at, End: this.words.length };
    if (event.key in steps) {
      // The first arrow chooses the word that has the focus already.
      const step = this.anchor === null && !event.shiftKey && Math.abs(steps[event.key]) === 1 ? 0 : steps[event.key];
      this.choose(this.at + step, event.shiftKey);
      this.focus();
    } else if (event.key.toLowerCase() === "a" && event.ctrlKey) {
      this.choose(0, false);
      this.choose(this.words.length - 1, true);
      this.focus();
    } else return;
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  point(event) {
    const index = this.under(event);
    if (index === null || event.button !== 0) return;
    event.preventDefault();
    // A finger has no Shift: its second touch ends what the first began.
    const further = event.shiftKey || (event.pointerType === "touch" && this.anchor !== null && this.anchor === this.at);
    this.choose(index, further);
    this.focus();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const index = this.under(event);
    if (index !== null && event.buttons === 1 && event.pointerType !== "touch" && index !== this.at && this.anchor !== null) this.choose(index, true);
  }

  /** @param {PointerEvent} event @returns {number | null} */
  under(event) {
    const option = /** @type {Element} */ (event.target).closest("[role=option]");
    return option instanceof HTMLElement ? Number(option.dataset.index) : null;
  }
}

/** Cut a text into words, each with what stands behind it. @param {string} text @returns {Word[]} */
export function cut(text) {
  /** @type {Word[]} */
  const words = [];
  let place = 0;
  for (const { segment, isWordLike } of pieces(text)) {
    const length = [...segment].length;
    const before = words.at(-1);
    if (isWordLike || !before) words.push({ start: place, stop: place + length, tail: place + length });
    else before.tail += length;
    place += length;
  }
  return words;
}

/** @param {string} text @returns {Iterable<{segment: string, isWordLike?: boolean}>} */
function* pieces(text) {
  // Firefox before 125 has none; then whatever stands between two spaces is a word.
  if (!("Segmenter" in Intl)) {
    for (const [segment] of text.matchAll(/\S+|\s+/g)) yield { segment, isWordLike: /\S/.test(segment) };
    return;
  }
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (SINGLE.test(segment)) yield* [...letters.segment(segment)].map((letter) => ({ segment: letter.segment, isWordLike: true }));
    else yield { segment, isWordLike };
  }
}
