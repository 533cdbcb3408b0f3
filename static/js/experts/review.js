import { part } from "../rater/page.js";
import { ChoiceDesk } from "./choices.js";
import { open } from "./desk.js";

/**
 * The justification review: does the reason fit the label?
 *
 * @typedef {import("./desk.js").Item & {answers: {clip: string, label: string}[], reason: string,
 *           decisions: import("./desk.js").Said[]}} Item
 */

class ReviewDesk extends ChoiceDesk {
  /** @param {Item} item */
  fill(item) {
    this.load(item.clips);
    this.tellLabels(item.answers);
    part(this.root, "[data-part=reason]").textContent = item.reason;
    this.tellText(item.clips);
    this.tellDecisions(item.decisions);
  }

  /** @param {{flags: string[]}} body @param {string} decision */
  stored(body, decision) {
    const flags = body.flags.join(", ");
    this.say(flags ? "flagged" : "saved", { decision, flags });
  }
}

open(ReviewDesk, "review");
