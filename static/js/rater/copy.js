/* The button that copies a rater's code, for when the way back doesn't take it along. */

import { part, parts } from "./page.js";

for (const button of parts(document, "[data-copy]")) {
  const code = part(document, `#${button.dataset.copy}`);
  const said = part(document, "[data-copied]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Without the clipboard's permission the code is selected, ready for Ctrl+C.
      getSelection()?.selectAllChildren(code);
      said.textContent = said.dataset.byHand ?? "";
      return;
    }
    said.textContent = said.dataset.copied ?? "";
  });
}
