import Task from "../rater/task.js";
import { fill, part, parts } from "../rater/page.js";

const HERE = "t";

/** Human or Machine; Machine opens the markers, and a marker may have a moment that was tapped while listening. */
export default class HfrGranular extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.markers = this.part("[data-markers]", HTMLFieldSetElement);
    this.order = this.part("[data-order]");
    /** @type {import("../rater/player.js").Player | undefined} */
    this.player = undefined;
    this.sentence = form.querySelector("[data-sentence]");
    this.moments = form.querySelector("[data-here]") ? new Moments(form) : null;
    // Before the page reads the form to keep a draft of it.
    form.addEventListener("input", (event) => this.follow(event.target), { capture: true });
    form.querySelector("[data-here]")?.addEventListener("click", () => this.tap());
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    this.arrange(this.order, trial.shown.markers, letter);
    if (this.sentence) this.sentence.textContent = trial.shown.text;
    super.reset(trial);
    this.moments?.clear();
    this.follow();
  }

  answer() {
    const answer = super.answer();
    // Those chosen before stay in the page, in case the rater goes back to Machine.
    if (this.markers.disabled) answer.markers = [];
    return this.moments ? { ...answer, moments: this.moments.chosen(answer.markers) } : answer;
  }

  /** @param {Record<string, any>} answer */
  restore(answer) {
    this.moments?.restore(answer.moments ?? {});
    super.restore(answer);
  }

  check() {
    const found = super.check();
    const isMissing = "required" in this.markers.dataset && !this.markers.disabled && this.answer().markers.length === 0;
    if (isMissing) found.markers = this.part("[data-problem=markers]").dataset.missing ?? "";
    return found;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === HERE && this.moments) {
      this.tap();
      return true;
    }
    const box = this.boxes().find((_box, index) => letter(index) === event.key.toUpperCase());
    if (!box || this.markers.disabled) return super.key(event);
    box.focus();
    box.click();
    return true;
  }

  /**
   * Show the markers with Machine only; a marker just chosen gets its moment.
   * @param {EventTarget | null} [changed]
   */
  follow(changed) {
    const box = this.boxes().find((other) => other === changed);
    if (box?.checked) this.moments?.give(box.value);
    const isMachine = this.part("input[name=label][value=machine]", HTMLInputElement).checked;
    this.markers.hidden = this.markers.disabled = !isMachine;
    for (const other of this.boxes()) {
      if (!other.checked) this.moments?.forget(other.value);
      this.moments?.show(other.value, other.checked);
    }
  }

  /** @param {import("../rater/player.js").Player[]} players */
  listening([player]) {
    this.player = player;
  }

  tap() {
    const { state, deck } = this.player ?? {};
    this.moments?.tap(deck && (state === "playing" || state === "paused") ? deck.position : null);
    this.form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** In the order shown. */
  boxes() {
    return parts(this.order, "input[type=checkbox]", HTMLInputElement);
  }
}

/** The moments that were tapped, and which marker each was given to. */
class Moments {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.line = part(form, "[data-tapped]");
    const template = part(form, "template[data-moment]", HTMLTemplateElement);
    /** @type {Map<string, HTMLSelectElement>} by marker */
    this.selects = new Map();
    for (const box of parts(form, "[data-order] input", HTMLInputElement)) {
      const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
      const select = part(copy, "select", HTMLSelectElement);
      const name = box.closest("label")?.querySelector("span")?.textContent ?? "";
      select.setAttribute("aria-label", `${name}, ${part(copy, "span").textContent}`);
      this.selects.set(box.value, select);
      box.closest(".marker")?.append(copy);
    }
    /** @type {string[]} markers that are chosen and have no moment, the last chosen last */
    this.waiting = [];
    /** @type {number[]} in seconds */
    this.taps = [];
    this.clear();
  }

  clear() {
    this.taps = [];
    this.waiting = [];
    this.offer();
    this.tell(this.line.dataset.none);
  }

  /** Keep a moment, for the marker chosen last if that has none. @param {number | null} position */
  tap(position) {
    if (position === null) {
      this.tell(this.taps.length > 0 ? this.line.dataset.some : this.line.dataset.silent);
      return;
    }
    const moment = Math.round(position * 10) / 10;
    if (!this.taps.includes(moment)) this.taps.push(moment);
    this.offer();
    const marker = this.waiting.pop();
    if (marker !== undefined) this.select(marker).value = String(moment);
    this.tell(this.line.dataset.some);
  }

  /** Give a marker just chosen the newest moment that no other has. @param {string} marker */
  give(marker) {
    const select = this.select(marker);
    const used = [...this.selects.values()].map((other) => other.value);
    const moment = this.taps.findLast((tap) => !used.includes(String(tap)));
    if (moment === undefined) this.waiting.push(marker);
    else select.value = String(moment);
  }

  /** @param {string} marker */
  forget(marker) {
    this.waiting = this.waiting.filter((other) => other !== marker);
    this.select(marker).value = "";
  }

  /** Return the moment of each of these markers that has one. @param {string[]} markers */
  chosen(markers) {
    const given = markers.map((marker) => [marker, this.select(marker).value]);
    return Object.fromEntries(given.flatMap(([marker, value]) => (value === "" ? [] : [[marker, Number(value)]])));
  }

  /** @param {Record<string, number>} moments */
  restore(moments) {
    this.taps = [...new Set(Object.values(moments))];
    this.offer();
    for (const [marker, moment] of Object.entries(moments)) this.select(marker).value = String(moment);
    if (this.taps.length > 0) this.tell(this.line.dataset.some);
  }

  /** Let each marker choose among the moments. */
  offer() {
    for (const select of this.selects.values()) {
      const { value } = select;
      select.length = 1;
      for (const moment of [...this.taps].sort((a, b) => a - b)) {
        select.add(new Option(fill(select.dataset.at ?? "", { moment: moment.toFixed(1) }), String(moment)));
      }
      select.value = value;
    }
  }

  /**
   * Offer the moments beside a chosen marker only, once there are some.
   * @param {string} marker
   * @param {boolean} isChosen
   */
  show(marker, isChosen) {
    /** @type {HTMLElement} */ (this.select(marker).parentElement).hidden = !isChosen || this.taps.length === 0;
  }

  /** @param {string} [sentence] */
  tell(sentence = "") {
    const moments = [...this.taps].sort((a, b) => a - b).map((moment) => moment.toFixed(1));
    this.line.textContent = fill(sentence, { moments: moments.join(", ") });
  }

  /** @param {string} marker */
  select(marker) {
    const select = this.selects.get(marker);
    if (!select) throw new Error(`The form has no marker ${marker}.`);
    return select;
  }
}

/** @param {number} index */
function letter(index) {
  return String.fromCharCode(65 + index);
}
