// Moves the bar of an import; when it is over, the page is loaded again to show the report.

const PAUSE = 1000;
const box = document.querySelector("[data-status]");
const bar = box.querySelector("progress");
const count = box.querySelector("output");

async function look() {
  try {
    const answer = await fetch(box.dataset.status, { headers: { Accept: "application/json" } });
    if (answer.ok) {
      const { percent, done, total, over } = await answer.json();
      if (over) {
        location.reload();
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
