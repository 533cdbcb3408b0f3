import { Shortcuts, part } from "../rater/page.js";
import "./play_first.js";

// Decides on drafted questions by keys: each key presses the button, link or fold that names it.

const root = part(document.body, "#inspect");
const audio = /** @type {HTMLAudioElement | null} */ (root.querySelector("audio"));
const edit = /** @type {HTMLDetailsElement | null} */ (root.querySelector("#edit"));

/** @param {string} name */
function press(name) {
  const target = /** @type {HTMLElement | null} */ (root.querySelector(`[data-key="${CSS.escape(name)}"]`));
  if (!target) return false;
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    part(target, "textarea").focus();
  } else target.click();
  return true;
}

new Shortcuts(part(root, "#shortcuts", HTMLInputElement), root, {
  play: () => {
    if (audio) void (audio.paused ? audio.play() : audio.pause());
  },
  save: () => {
    if (edit?.open) part(edit, "[data-save]").click();
  },
  key: (event) => press(event.key.toLowerCase()),
});
root.dataset.ready = "";
