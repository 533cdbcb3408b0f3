/* The button that copies a rater's code, for when the way back doesn't take it along. */

for (const button of document.querySelectorAll("[data-copy]")) {
  const code = document.getElementById(button.dataset.copy);
  const said = button.parentElement.querySelector("[data-copied]");
  if (!code || !said) throw new Error(`nothing to copy: ${button.dataset.copy}`);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Without the clipboard's permission the code is selected, ready for Ctrl+C.
      getSelection().selectAllChildren(code);
      return;
    }
    said.textContent = said.dataset.copied;
  });
}
