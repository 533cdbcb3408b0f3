import { LineTest } from "./line.js";
import { Shortcuts } from "./shortcuts.js";
import { part } from "./texts.js";
import { TrialPage } from "./trial.js";

/** Put the trial page together: the task type's own module is named by the page. */
const root = part(document, "#trial");
const { default: TaskType } = await import(root.dataset.module ?? "");
const page = new TrialPage(root, TaskType);

const box = /** @type {HTMLInputElement} */ (part(root, "#shortcuts"));
const trial = part(root, "[data-panel=trial]");
new Shortcuts(box, root, {
  play: () => trial.hidden || page.nextPlayer()?.press(),
  save: () => page.form.requestSubmit(),
  key: (event) => !trial.hidden && page.root.dataset.state !== "saving" && page.task.key(event),
});

// Speech waits for the clip to end.
page.form.addEventListener("corrected", (event) => {
  event.preventDefault();
  page.status.say(/** @type {CustomEvent} */ (event).detail, { isSpokenOnly: true });
});

const help = /** @type {HTMLDialogElement} */ (part(root, "dialog#help"));
part(root, "[data-open=help]").addEventListener("click", () => help.showModal());

page.start();
new LineTest(page);
