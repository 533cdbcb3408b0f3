import Task from "../rater/task.js";
import { fill } from "../rater/page.js";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_PAGE = /^(zh|ja|ko)\b/;
const LETTER = /\p{L}/u;
/** A letter, digit or ideograph, but none of the fillers, which are letters that nobody sees. */
const WRITTEN = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}\p{Ideographic}]/u;

/** Human, Unclear or Machine with a written reason. */
export default class Ternary extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.reason = this.part("textarea[name=reason]", HTMLTextAreaElement);
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
    const missing = this.least() - written(this.reason.value);
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
    const [count, least] = [written(this.reason.value), this.least()];
    const { few, enough } = this.count.dataset;
    this.count.textContent = fill((count < least ? few : enough) ?? "", { count, least });
  }
}

/**
 * Count the characters, as a reader sees them, that hold a letter, digit or ideograph; the server counts alike.
 * @param {string} text
 */
export function written(text) {
  if (!("Segmenter" in Intl)) return [...text].filter((letter) => WRITTEN.test(letter)).length;
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  return [...characters].filter(({ segment }) => WRITTEN.test(segment)).length;
}

/**
 * Say whether Chinese, Japanese or Korean letters make up at least half of the letters.
 * @param {string} text
 */
export function isCjk(text) {
  const letters = [...text].filter((letter) => LETTER.test(letter));
  return letters.length > 0 && 2 * letters.filter((letter) => CJK.test(letter)).length >= letters.length;
}
