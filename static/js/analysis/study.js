/* The parts of a study's pages that move: figures and progress, and the button that copies a link. */

import { part, parts } from "../rater/page.js";
import { live } from "./live.js";

for (const place of parts(document, "[data-src]")) live(place);

for (const button of parts(document, "[data-copy]")) {
  const field = part(document, `#${button.dataset.copy}`, HTMLInputElement);
  const label = button.textContent;
  const status = /** @type {HTMLElement | null} */ (button.parentElement?.querySelector("[data-by-hand]"));
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without the clipboard's permission the field is selected, ready for Ctrl+C.
      if (status) status.textContent = status.dataset.byHand ?? "";
      return;
    }
    button.textContent = button.dataset.done ?? "";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
