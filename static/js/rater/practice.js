/** A practice clip: played and answered as in a trial, then sent as a form; the server's next page says what was right. */

import { Disc } from "./deck.js";
import { Player } from "./player.js";
import { Hearing, Shortcuts, Texts, markedText, part, start, volume } from "./page.js";
import { Sounds } from "./network.js";

const root = part(document, "#practice");
const { default: TaskType } = await import(root.dataset.module ?? "");
const form = part(root, "form[data-answer]", HTMLFormElement);
const letter = part(root, "form[data-send]", HTMLFormElement);
const sent = part(letter, "input[name=answer]", HTMLInputElement);
const texts = new Texts([part(root, "#texts"), ...root.querySelectorAll("template[data-texts]")]);
const advice = part(root, "#advice");
const status = part(root, "#status");
const save = part(root, "#save");
const stuck = part(root, "[data-stuck]");
const { trial, problems } = JSON.parse(part(root, "#practice-data").textContent ?? "null");
const clip = { key: root.dataset.key ?? "", url: root.dataset.soundUrl ?? "", seconds: trial.seconds };

const template = part(root, "#player", HTMLTemplateElement);
const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
const player = new Player(part(copy, ".player"), new Disc(), new Sounds(), texts);
const task = new TaskType(form);

/**
 * @param {string} name
 * @param {boolean} isProblem
 */
function advise(name, isProblem = false) {
  advice.textContent = texts.get(name, { seconds: player.secondsLeft });
  advice.classList.toggle("problem", isProblem);
}

player.addEventListener("change", () => {
  task.listening([player]);
  const { state } = player;
  const shown = state === "ready" || state === "ended" ? (player.wasHeard ? "heard" : "ready") : state;
  root.dataset.state = shown;
  advise(shown === "failed" ? player.fault : shown, shown === "failed");
  save.setAttribute("aria-disabled", String(!player.wasHeard));
  if (player.isStuck && stuck.hidden) status.textContent = part(stuck, "p").textContent;
  stuck.hidden = !player.isStuck;
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!player.wasHeard) {
    advise("unheard", true);
    status.textContent = texts.get("unheard");
    player.button.focus();
    return;
  }
  const missing = task.check();
  if (Object.keys(missing).length > 0) {
    complain(missing);
    return;
  }
  sent.value = JSON.stringify(task.answer());
  letter.submit();
});

form.addEventListener("corrected", () => (status.textContent = ""));

/** @param {Record<string, string>} found */
function complain(found) {
  status.textContent = task.problems(found).join(" ") || texts.get(markedText(found));
}

const box = part(root, "#shortcuts", HTMLInputElement);
new Shortcuts(box, root, { play: () => player.press(), save: () => form.requestSubmit(), key: (event) => task.key(event) });

part(root, "[data-players]").append(player.root);
player.name("");
player.setVolume(volume.get() ?? 1, false);
task.reset({ token: clip.key, shown: trial.shown, clips: [clip], playback: trial.playback });
if (Object.keys(problems).length > 0) {
  if (sent.value) task.restore(JSON.parse(sent.value));
  complain(problems);
} else {
  player.button.focus({ preventScroll: true });
}
void player.show(clip, { maxPlays: trial.max_plays, isVoidedByInterruption: false, place: null }, new Hearing());
start();
