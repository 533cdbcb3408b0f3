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
    /** @type {Counts} */
    this.counts = {
      types: {}, keys: 0, compositions: 0, chars_composed: 0, pastes: 0, chars_pasted: 0, drops: 0, chars_dropped: 0,
      chars_moved: 0, insertions: 0, deletions: 0, largest_insert: 0, first_key_s: null, away_s: 0, blurs: 0,
      after_away: 0, touch: matchMedia("(pointer: coarse)").matches,
    };
    this.shown = performance.now();
    this.own = "";
    this.away = 0; // milliseconds
    this.isBack = false;
    /** @type {number | null} */
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

/** @param {EventTarget | null} field @returns {string} */
function selected(field) {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return "";
  return field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
}
