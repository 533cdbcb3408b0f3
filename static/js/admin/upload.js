// A large archive goes before the form, in parts, with a bar; a small one, and everything without scripts, with the form.

import { Parts, Refused } from "./parts.js";

/** @type {HTMLFormElement} */
const form = document.querySelector("form[data-uploads]");
const box = form.querySelector("[data-sending]");
const [bar, count, button, note] = ["progress", "output", "button", "[data-note]"].map((part) => box.querySelector(part));
const archive = form.elements.namedItem("archive");
const key = form.elements.namedItem("upload");
const send = form.querySelector("[type=submit]");
const texts = box.dataset;
const megabytes = new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: 1 });

archive.addEventListener("change", () => {
  key.value = "";
  archive.required = true;
});

form.addEventListener("submit", async (event) => {
  const file = archive.files[0];
  if (!file || key.value || file.size <= Number(form.dataset.small)) return;
  event.preventDefault();
  const parts = new Parts({
    file,
    url: form.dataset.uploads,
    token: form.elements.namedItem("csrfmiddlewaretoken").value,
    advance: (sent, all) => {
      bar.value = (100 * sent) / all;
      count.value = `${megabytes.format(sent / 2 ** 20)} / ${megabytes.format(all / 2 ** 20)} MB`;
    },
    wait: (isAway) => {
      note.textContent = isAway ? texts.away : "";
    },
  });
  const leaving = (/** @type {Event} */ leave) => leave.preventDefault();
  const stop = () => parts.stop();
  show(true);
  addEventListener("beforeunload", leaving);
  button.addEventListener("click", stop);
  try {
    key.value = await parts.send();
    removeEventListener("beforeunload", leaving);
    // The archive is there: what goes now is the rest of the form.
    archive.disabled = true;
    form.submit();
  } catch (error) {
    removeEventListener("beforeunload", leaving);
    show(false);
    note.textContent = parts.isStopped ? texts.stopped : (error instanceof Refused && error.message) || texts.failed;
    send.focus();
  } finally {
    button.removeEventListener("click", stop);
  }
});

/** @param {boolean} isSending */
function show(isSending) {
  box.hidden = false;
  for (const part of [bar, count, button]) part.hidden = !isSending;
  box.querySelector("label").hidden = !isSending;
  note.textContent = "";
  bar.value = 0;
  count.value = "";
  send.disabled = isSending;
  if (isSending) button.focus();
}
