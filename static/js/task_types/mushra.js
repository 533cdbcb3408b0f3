import Task from "../rater/task.js";
import { fill, part } from "../rater/page.js";

const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown"];

/** Clips beside each other, each with a player and a slider: from 0 to 100, or from 1.0 to 5.0 in tenths. */
export default class Mushra extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.field = this.part(".mushra");
    this.list = this.part("[data-rows]");
    /** @type {Row[]} */
    this.rows = [];
    /** @type {import("../rater/player.js").Player[]} */
    this.players = [];
    this.first = 0;
    this.isStrict = true;
    this.part("[data-sort]").addEventListener("click", () => {
      this.list.append(...[...this.rows].sort((a, b) => (b.rating ?? -1) - (a.rating ?? -1)).map((row) => row.root));
    });
  }

  get isInStep() {
    return this.field.dataset.switching === "synchronous";
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    this.first = trial.shown.has_reference ? 1 : 0;
    this.isStrict = trial.playback === "enforce";
    this.part("[data-reference]").hidden = this.part("[data-reference-key]").hidden = !this.first;
    const template = this.part("[data-row]", HTMLTemplateElement);
    this.rows = trial.clips.slice(this.first).map((clip, index) => {
      const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
      return new Row(part(copy, ".row"), clip.key, this.called(index + this.first));
    });
    this.list.replaceChildren(...this.rows.map((row) => row.root));
    super.reset(trial);
    this.rows.forEach((row) => row.clear());
  }

  /** @param {number} index */
  place(index) {
    return index < this.first ? this.part("[data-reference]") : this.rows[index - this.first].seat;
  }

  /** @param {number} index */
  called(index) {
    const { name, referenceName } = this.field.dataset;
    if (index < this.first) return referenceName ?? "";
    return fill(name ?? "", { letter: String.fromCharCode(65 + index - this.first) });
  }

  /** @param {import("../rater/player.js").Player[]} players */
  listening(players) {
    this.players = players;
    // One volume for all of them, so that it stands in no clip's row.
    this.part("[data-volume]").append(players[0].volume);
    this.rows.forEach((row, index) => row.open(!this.isStrict || players[index + this.first].wasHeard));
  }

  answer() {
    const rated = this.rows.filter((row) => row.rating !== null);
    return { ratings: Object.fromEntries(rated.map((row) => [row.key, row.rating])) };
  }

  /** @param {{ratings?: Record<string, number>}} answer */
  restore({ ratings = {} }) {
    for (const row of this.rows) {
      if (row.key in ratings) row.rate(ratings[row.key]);
    }
  }

  check() {
    const missing = this.rows.filter((row) => row.rating === null);
    return Object.fromEntries(missing.map((row) => [`ratings.${row.key}`, row.problem.dataset.missing ?? ""]));
  }

  /** @param {Record<string, string>} problems */
  problems(problems) {
    const elsewhere = super.problems(problems);
    const wrong = this.rows.filter((row) => `ratings.${row.key}` in problems);
    this.rows.forEach((row) => row.slider.setAttribute("aria-invalid", String(wrong.includes(row))));
    wrong[0]?.slider.focus();
    return elsewhere;
  }

  /** Letters play a clip and go to its slider; on a slider, Space plays and digits choose. @param {KeyboardEvent} event */
  key(event) {
    const at = this.rows.findIndex((row) => row.slider === event.target);
    if (at >= 0 && /^[0-9]$/.test(event.key)) {
      this.rows[at].move(this.rows[at].low + this.rows[at].far * Number(event.key));
      return true;
    }
    const index = this.chosen(event.key, at);
    if (!(index in this.players)) return false;
    this.players[index].press();
    (index < this.first ? this.players[index].button : this.rows[index - this.first].slider).focus();
    return true;
  }

  /**
   * Return which clip a key means, by its place; -1 for none.
   * @param {string} key
   * @param {number} at the row whose slider has the focus
   */
  chosen(key, at) {
    if (key === " ") return at < 0 ? at : at + this.first;
    if (this.first && key.toUpperCase() === "R") return 0;
    return /^[a-z]$/i.test(key) ? key.toUpperCase().charCodeAt(0) - 65 + this.first : -1;
  }
}

/** A clip's slider: empty until it was moved, and still until its clip was heard. */
class Row {
  /**
   * @param {HTMLElement} root
   * @param {string} key
   * @param {string} name
   */
  constructor(root, key, name) {
    this.root = root;
    this.key = key;
    this.seat = part(root, "[data-seat]");
    this.slider = part(root, "[data-slider]", HTMLInputElement);
    this.value = part(root, "[data-value]");
    this.problem = part(root, ".problem");
    this.bands = [...part(root, "[data-bands]").children].map((band) => band.textContent ?? "");
    this.slider.setAttribute("aria-label", name);
    this.isInTenths = "tenths" in this.slider.dataset;
    this.low = Number(this.slider.min);
    this.high = Number(this.slider.max);
    this.middle = (this.low + this.high) / 2;
    this.far = (this.high - this.low) / 10;
    this.problem.id = `problem-${key}`;
    this.problem.dataset.problem = `ratings.${key}`;
    this.slider.setAttribute("aria-describedby", this.problem.id);
    root.dataset.field = `ratings.${key}`;
    /** @type {number | null} */
    this.rating = null;
    this.isOpen = false;
    this.slider.addEventListener("input", (event) => this.take(event));
    // A click in the middle changes no value, and chooses one all the same; a finger's tap may be no click.
    for (const name of ["click", "pointerup"]) {
      this.slider.addEventListener(name, () => this.rating ?? this.move(Number(this.slider.value)));
    }
    this.slider.addEventListener("keydown", (event) => this.press(event));
  }

  clear() {
    this.rating = null;
    this.slider.value = String(this.middle);
    this.show();
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    this.slider.setAttribute("aria-disabled", String(!isOpen));
    this.show();
  }

  /** @param {number} rating */
  rate(rating) {
    this.rating = rating;
    this.slider.value = String(rating);
    this.show();
  }

  /** Rate as if the slider had been moved there. @param {number} rating */
  move(rating) {
    this.slider.value = String(rating);
    this.slider.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {Event} event */
  take(event) {
    if (this.isOpen) {
      this.rate(Number(this.slider.value));
      return;
    }
    event.stopPropagation();
    this.slider.value = String(this.rating ?? this.middle);
  }

  /** The first arrow puts an empty slider in the middle; from there they move it. @param {KeyboardEvent} event */
  press(event) {
    if (!MOVES.includes(event.key)) return;
    const isFar = event.key.startsWith("Page");
    if (!this.isOpen) event.preventDefault();
    else if (this.rating === null) this.move(this.middle);
    else if (isFar) this.move(Math.min(this.high, Math.max(this.low, this.rating + (event.key === "PageUp" ? this.far : -this.far))));
    else return;
    event.preventDefault();
  }

  /** Return a rating with its label: of its fifth of the scale, or of the nearest whole grade. @param {number} rating */
  named(rating) {
    if (this.isInTenths) return `${(rating / 10).toFixed(1)} · ${this.bands[Math.round(rating / 10) - 1]}`;
    return `${rating} · ${this.bands[Math.min(Math.floor(rating / 20), 4)]}`;
  }

  show() {
    const { rating, slider } = this;
    const { unheard = "", empty = "" } = slider.dataset;
    const words = rating === null ? (this.isOpen ? empty : unheard) : this.named(rating);
    slider.setAttribute("aria-valuetext", words);
    this.root.classList.toggle("unrated", rating === null);
    this.value.textContent = words;
  }
}
