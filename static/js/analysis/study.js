/* The parts of a study's pages that move: figures and progress, and the button that copies a link. */

import { live } from "./live.js";

for (const part of document.querySelectorAll("[data-src]")) live(part);

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  if (!field) throw new Error(`nothing to copy: ${button.dataset.copy}`);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without the clipboard's permission the field is selected, ready for Ctrl+C.
      return;
    }
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
