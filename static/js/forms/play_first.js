import { part } from "../rater/page.js";

// Decisions wait until their passage was played: its sound frees the buttons, and the form says that it was played.

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-play-first]"))) {
  const field = /** @type {HTMLInputElement | null} */ (box.querySelector("input[name=played]"));
  const form = field?.form;
  if (!field || !form) continue;
  const hint = part(form, "[data-part=play-first]");
  part(box, "audio").addEventListener(
    "playing",
    () => {
      field.value = "1";
      hint.remove();
      for (const button of form.querySelectorAll("[aria-disabled]")) button.removeAttribute("aria-disabled");
    },
    { once: true },
  );
  form.addEventListener("submit", (event) => {
    if (field.value) return;
    event.preventDefault();
    // Focused, so that screen readers say why nothing happens.
    hint.focus();
  });
}
