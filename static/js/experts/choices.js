import { parts } from "../rater/page.js";
import { Desk } from "./desk.js";

/** A desk at which one of several buttons decides; numbers press them in their order. */
export class ChoiceDesk extends Desk {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    for (const button of parts(root, "[data-decision]")) {
      button.addEventListener("click", () => void this.decide(button.dataset.decision ?? ""));
    }
  }

  /** The buttons that are shown. */
  get choices() {
    return parts(this.root, "[data-decision]").filter((button) => !button.closest("[hidden]"));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const choice = this.item && this.choices[Number(event.key) - 1];
    if (!choice) return super.key(event);
    void this.decide(choice.dataset.decision ?? "");
    return true;
  }

  /** @param {string} decision */
  async decide(decision) {
    if (this.item) await this.send({ decision, note: this.note.value }, this.texts.get(decision));
  }
}
