import { part, parts } from "../rater/page.js";
import { ChoiceDesk } from "./choices.js";
import { open } from "./desk.js";

/**
 * The spot check before a launch: a clip and its text, or several takes of one text.
 *
 * @typedef {import("./desk.js").Clip & {key: string, played: boolean}} Clip
 * @typedef {import("./desk.js").Item & {kind: string, clips: Clip[], decisions: import("./desk.js").Said[]}} Item
 */

class SpotDesk extends ChoiceDesk {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    /** Keys of the clips that were played on this page. @type {Set<string>} */
    this.played = new Set();
  }

  /** @param {Item} item */
  fill(item) {
    this.load(item.clips);
    this.players.forEach((player, index) => {
      player.addEventListener("played", () => {
        this.played.add(item.clips[index].key);
        this.allow();
      });
    });
    for (const form of parts(this.root, "[data-form]")) form.hidden = form.dataset.form !== item.kind;
    part(this.root, "#question").textContent = this.texts.get(`question_${item.kind}`);
    part(this.root, "[data-part=advice]").textContent = this.texts.get(`advice_${item.kind}`);
    this.tellText(item.clips);
    const { language } = item.clips[0];
    part(this.root, "[data-part=language]").textContent = language;
    part(this.root, "[data-part=language-row]").hidden = !language;
    this.tellDecisions(item.decisions);
    this.allow();
  }

  get playFirst() {
    return this.texts.get(this.item.clips.length > 1 ? "play_all_first" : "play_first");
  }

  /** Whether a clip of the item was not played yet. */
  get isUnheard() {
    return this.item.clips.some((/** @type {Clip} */ clip) => !clip.played && !this.played.has(clip.key));
  }

  /** Show whether the item can be decided now, and otherwise why not. */
  allow() {
    const hint = part(this.root, "#play-first");
    hint.hidden = !this.isUnheard;
    hint.textContent = this.isUnheard ? this.playFirst : "";
    for (const button of this.root.querySelectorAll("[data-decision]")) button.setAttribute("aria-disabled", String(this.isUnheard));
  }

  /** @param {string} decision */
  async decide(decision) {
    if (!this.item) return;
    if (this.isUnheard) {
      part(this.root, "#status").textContent = this.playFirst;
      return;
    }
    if (decision === "other" && !this.note.value.trim()) {
      this.note.focus();
      return this.say("note_wanted");
    }
    const played = this.item.clips.map((/** @type {Clip} */ clip) => clip.key);
    await this.send({ decision, note: this.note.value, played }, this.texts.get(decision));
  }
}

open(SpotDesk, "spot-check");
