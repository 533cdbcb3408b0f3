// Moves the bar of a job, and figures about it. When it is over, the page is loaded again to show the report, or, where the page has a
// button for it, the button is shown: loading the page again would lose a click on one of its forms.

import { part, parts } from "../rater/page.js";

const PAUSE = 1000;
const box = part(document, "[data-status]");
const bar = part(box, "progress", HTMLProgressElement);
const count = part(box, "output", HTMLOutputElement);
const ready = parts(document, "[data-ready]").at(0);
// What the job's page says about its progress in words.
const text = parts(document, "[data-message]").at(0);

async function look() {
  try {
    const answer = await fetch(box.dataset.status ?? "", { headers: { Accept: "application/json" } });
    if (answer.ok) {
      const { percent, done, total, over, message, figures = {} } = await answer.json();
      if (text && message) text.textContent = message;
      for (const figure of parts(document, "[data-figure]")) {
        figure.textContent = figures[figure.dataset.figure ?? ""] ?? figure.textContent;
      }
      if (over) {
        bar.value = 100;
        if (text && ready) text.hidden = true;
        if (ready) ready.hidden = false;
        else location.reload();
        return;
      }
      bar.value = percent;
      if (total) count.value = `${done} / ${total}`;
    }
  } catch {
    // The network is away for a moment; the next look tells.
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
