import Task from "../rater/task.js";
import { fill } from "../rater/texts.js";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_PAGE = /^(zh|ja|ko)\b/;
const LETTER = /\p{L}/u;

/** Human, Unclear or Machine with a written reason. */
export default class Ternary extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.reason = /** @type {HTMLTextAreaElement} */ (this.part("textarea[name=reason]"));
    this.count = this.part("[data-count]");
    form.addEventListener("input", () => this.tally());
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    super.reset(trial);
    this.tally();
  }

  check() {
    const found = super.check();
    const missing = this.least() - graphemes(this.reason.value);
    const line = this.part("[data-problem=reason]");
    if (missing > 0) found.reason = fill(line.dataset.short ?? "", { missing });
    return found;
  }

  least() {
    const { least, leastCjk } = this.reason.dataset;
    // Nothing is written yet: the page's language is the best guess.
    const willBeCjk = this.reason.value.trim() ? isCjk(this.reason.value) : CJK_PAGE.test(document.documentElement.lang);
    return Number((willBeCjk ? leastCjk : least) ?? 0);
  }

  tally() {
    const [count, least] = [graphemes(this.reason.value), this.least()];
    const { few, enough } = this.count.dataset;
    this.count.textContent = fill((count < least ? few : enough) ?? "", { count, least });
  }
}

/**
 * Count characters as a reader does: an accented letter or an emoji family is one.
 * @param {string} text
 */
export function graphemes(text) {
  const trimmed = text.trim();
  if (!("Segmenter" in Intl)) return [...trimmed].length;
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(trimmed)].length;
}

/**
 * Say whether Chinese, Japanese or Korean letters make up at least half of the letters.
 * @param {string} text
 */
export function isCjk(text) {
  const letters = [...text].filter((letter) => LETTER.test(letter));
  return letters.length > 0 && 2 * letters.filter((letter) => CJK.test(letter)).length >= letters.length;
}
