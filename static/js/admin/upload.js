// A large archive goes before the form, in parts, with a bar; a small one, and everything without scripts, with the form.

import { part } from "../rater/page.js";
import { Parts, Refused } from "./parts.js";

const form = part(document, "form[data-uploads]", HTMLFormElement);
const box = part(form, "[data-sending]");
const bar = part(box, "progress", HTMLProgressElement);
const count = part(box, "output", HTMLOutputElement);
const button = part(box, "button");
const note = part(box, "[data-note]");
const archive = part(form, "[name=archive]", HTMLInputElement);
const key = part(form, "[name=upload]", HTMLInputElement);
const send = part(form, "[type=submit]", HTMLInputElement);
const texts = /** @type {Record<string, string>} */ (box.dataset);
const megabytes = new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: 1 });

archive.addEventListener("change", () => {
  key.value = "";
  archive.required = true;
});

form.addEventListener("submit", async (event) => {
  const file = archive.files?.[0];
  if (!file || key.value || file.size <= Number(form.dataset.small)) return;
  event.preventDefault();
  const parts = new Parts({
    file,
    url: form.dataset.uploads ?? "",
    token: part(form, "[name=csrfmiddlewaretoken]", HTMLInputElement).value,
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
  for (const each of [bar, count, button, part(box, "label")]) each.hidden = !isSending;
  note.textContent = "";
  bar.value = 0;
  count.value = "";
  send.disabled = isSending;
  if (isSending) button.focus();
}
