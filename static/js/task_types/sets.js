import { fill, part, parts } from "../rater/page.js";
import Task from "../rater/task.js";

/** @typedef {{key: string, name: string, root: HTMLElement, seat: HTMLElement}} Row */

/** Clips of one text, each with a player: the best and the worst are chosen, or the worst is removed until one is left. */
export default class Sets extends Task {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    super(form);
    this.field = this.part(".sets");
    this.list = this.part("[data-rows]");
    this.isRanking = this.field.dataset.answer === "ranking";
    /** @type {Row[]} */
    this.rows = [];
    /** @type {import("../rater/player.js").Player[]} */
    this.players = [];
    /** The keys of the clips that were removed, the worst first. @type {string[]} */
    this.removed = [];
    this.isStrict = true;
    if (this.isRanking) this.part("[data-undo]").addEventListener("click", () => this.undo());
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    this.isStrict = trial.playback === "enforce";
    this.removed = [];
    const template = this.part("[data-row]", HTMLTemplateElement);
    this.rows = trial.clips.map(({ key }, index) => {
      const root = part(/** @type {DocumentFragment} */ (template.content.cloneNode(true)), ".row");
      const name = String.fromCharCode(65 + index);
      for (const input of parts(root, "input", HTMLInputElement)) {
        input.value = key;
        input.setAttribute("aria-label", `${input.parentElement?.textContent?.trim()}: ${this.called(index)}`);
        // One clip can't be both.
        input.addEventListener("change", () => {
          for (const other of parts(root, "input", HTMLInputElement)) if (other !== input) other.checked = false;
        });
      }
      for (const button of parts(root, "[data-remove]")) {
        button.setAttribute("aria-label", `${button.textContent?.trim()}: ${this.called(index)}`);
        button.addEventListener("click", () => this.remove(key));
      }
      return { key, name, root, seat: part(root, "[data-seat]") };
    });
    this.list.replaceChildren(...this.rows.map(({ root }) => root));
    super.reset(trial);
    this.show();
  }

  /** @param {number} index */
  place(index) {
    return this.rows[index].seat;
  }

  /** @param {number} index */
  called(index) {
    return fill(this.field.dataset.name ?? "", { letter: String.fromCharCode(65 + index) });
  }

  /** @param {import("../rater/player.js").Player[]} players */
  listening(players) {
    this.players = players;
    // One volume for all clips, so that it belongs to none of the rows.
    this.part("[data-volume]").append(players[0].volume);
    const isOpen = !this.isStrict || players.every((player) => player.wasHeard);
    for (const control of this.list.querySelectorAll("input, [data-remove]")) {
      /** @type {HTMLInputElement | HTMLButtonElement} */ (control).disabled = !isOpen;
    }
  }

  /** Give a clip the lowest rank that is left. @param {string} key */
  remove(key) {
    this.removed.push(key);
    const rank = this.rows.length - this.removed.length + 1;
    const { name = "" } = this.rows.find((row) => row.key === key) ?? {};
    this.part("[data-said]").textContent = fill(this.field.dataset.removed ?? "", { letter: name, rank });
    this.changed();
    this.next()?.focus();
  }

  undo() {
    const key = this.removed.pop();
    this.changed();
    const row = this.rows.find((each) => each.key === key);
    if (row) part(row.root, "[data-remove]").focus();
  }

  changed() {
    this.show();
    this.form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** The next control: to remove a clip, or to undo once only one is left. */
  next() {
    return this.list.querySelector("[data-remove]:not([hidden])") instanceof HTMLElement
      ? part(this.list, "[data-remove]:not([hidden])")
      : this.part("[data-undo]");
  }

  /** Show the ranks so far: the clips that are left first, then those removed, the worst last. */
  show() {
    if (!this.isRanking) return;
    const ranked = this.ranked();
    const isWhole = ranked.length === this.rows.length;
    for (const row of this.rows) {
      const below = this.removed.indexOf(row.key);
      const rank = isWhole ? ranked.indexOf(row.key) + 1 : this.rows.length - below;
      const place = part(row.root, "[data-place]");
      place.hidden = below < 0 && !isWhole;
      place.textContent = fill(this.field.dataset.rank ?? "", { rank });
      part(row.root, "[data-remove]").hidden = below >= 0 || isWhole;
    }
    const order = [...this.rows].sort((one, other) => this.removed.indexOf(other.key) - this.removed.indexOf(one.key));
    const left = order.filter((row) => !this.removed.includes(row.key));
    for (const row of [...left, ...order.filter((each) => !left.includes(each))]) this.list.append(row.root);
    this.part("[data-undo]", HTMLButtonElement).disabled = !this.removed.length;
  }

  /** The keys with a rank, best first: the last clip left has the first rank. */
  ranked() {
    const left = this.rows.map(({ key }) => key).filter((key) => !this.removed.includes(key));
    return [...(left.length === 1 ? left : []), ...[...this.removed].reverse()];
  }

  answer() {
    const { best, worst, ...others } = super.answer();
    const order = this.isRanking ? this.ranked() : [best, worst].filter(Boolean);
    // Which of the two was chosen first matters only until both are.
    return { ...others, order, ...(order.length === 1 && best ? { best } : {}) };
  }

  /** @param {Record<string, any>} answer */
  restore({ order = [], best, ...others }) {
    const isPair = order.length > 1;
    super.restore({ ...others, best: isPair ? order[0] : best, worst: isPair || !best ? order.at(-1) : undefined });
    if (this.isRanking) this.removed = order.slice(order.length === this.rows.length ? 1 : 0).reverse();
    this.show();
  }

  /** @returns {Record<string, string>} */
  check() {
    const { order } = this.answer();
    const { missingRanking = "", missingBestWorst = "" } = this.field.dataset;
    const isWhole = this.isRanking ? order.length === this.rows.length : new Set(order).size === 2;
    return isWhole ? {} : { order: this.isRanking ? missingRanking : missingBestWorst };
  }

  /** Letters play a clip. @param {KeyboardEvent} event */
  key(event) {
    const player = /^[a-z]$/i.test(event.key) ? this.players[event.key.toUpperCase().charCodeAt(0) - 65] : undefined;
    player?.press();
    player?.button.focus();
    return player !== undefined;
  }
}
