import { Memory } from "./memory.js";

/**
 * Single keys: Space plays, numbers choose; and Ctrl+Enter saves.
 *
 * Single keys are off in text fields, and can be switched off for good: they hurt people who steer by voice.
 */
export class Shortcuts {
  /**
   * @param {HTMLInputElement} box the switch
   * @param {HTMLElement} root
   * @param {{play: () => void, save: () => void, key: (event: KeyboardEvent) => boolean}} actions
   */
  constructor(box, root, actions) {
    if (!(box instanceof HTMLInputElement)) throw new Error("The shortcuts need a checkbox.");
    this.box = box;
    this.actions = actions;
    const memory = new Memory(() => localStorage, "earshot:shortcuts");
    box.checked = memory.get() !== false;
    const apply = () => root.classList.toggle("shortcuts-off", !box.checked);
    box.addEventListener("change", () => {
      memory.set(box.checked);
      apply();
    });
    apply();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) this.actions.save();
      return;
    }
    if (!this.box.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])")) return;
    // Space presses whatever has the focus, as everywhere else; only an answer already chosen leaves it to us.
    const isTaken = target.matches("button, a, summary, input:not([type=radio]:checked)");
    if (event.key === " " && !isTaken) {
      event.preventDefault();
      this.actions.play();
    } else if (this.actions.key(event)) {
      event.preventDefault();
    }
  }
}
