import { part } from "../rater/page.js";
import { ChoiceDesk } from "./choices.js";
import { open } from "./desk.js";

/**
 * The spot check before a launch: a clip and its text, or several takes of one text.
 *
 * @typedef {import("./desk.js").Item & {kind: string, decisions: import("./desk.js").Said[]}} Item
 */

class SpotDesk extends ChoiceDesk {
  /** @param {Item} item */
  fill(item) {
    this.load(item.clips);
    for (const form of this.root.querySelectorAll("[data-form]")) {
      /** @type {HTMLElement} */ (form).hidden = /** @type {HTMLElement} */ (form).dataset.form !== item.kind;
    }
    part(this.root, "#question").textContent = this.texts.get(`question_${item.kind}`);
    part(this.root, "[data-part=advice]").textContent = this.texts.get(`advice_${item.kind}`);
    this.tellText(item.clips);
    const { language } = item.clips[0];
    part(this.root, "[data-part=language]").textContent = language;
    part(this.root, "[data-part=language-row]").hidden = !language;
    this.tellDecisions(item.decisions);
  }

  /** @param {string} decision */
  async decide(decision) {
    if (this.item && decision === "other" && !this.note.value.trim()) {
      this.note.focus();
      return this.say("note_wanted");
    }
    await super.decide(decision);
  }
}

open(SpotDesk, "spot-check");
