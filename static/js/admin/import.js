// Moves the bar of a job, and figures about it. When it is over, the page is loaded again to show the report, or, where the page has a
// button for it, the button is shown: loading the page again would lose a click on one of its forms.

const PAUSE = 1000;
const box = document.querySelector("[data-status]");
const bar = box.querySelector("progress");
const count = box.querySelector("output");
const ready = document.querySelector("[data-ready]");
// What the job's page says about its progress in words.
const text = document.querySelector("[data-message]");

async function look() {
  try {
    const answer = await fetch(box.dataset.status, { headers: { Accept: "application/json" } });
    if (answer.ok) {
      const { percent, done, total, over, message, figures = {} } = await answer.json();
      if (text && message) text.textContent = message;
      for (const figure of document.querySelectorAll("[data-figure]")) {
        figure.textContent = figures[figure.dataset.figure] ?? figure.textContent;
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
