/** The pages of the first checks: a button that plays and stops their sound, and what this device can do. */

import { part, parts, start, volume } from "./page.js";

for (const root of parts(document, "[data-sound]")) sound(root);

/**
 * Put a button in the place of the browser's own controls; it plays from the beginning, straight from the click, since
 * browsers allow sound only then.
 * @param {HTMLElement} root
 */
function sound(root) {
  const audio = part(root, "audio", HTMLAudioElement);
  const button = part(root, "[data-play]");
  const label = part(root, "[data-label]");
  const track = part(root, "[data-track]", HTMLProgressElement);
  const problem = part(document, "#sound-problem");
  audio.controls = false;
  // As loud as trials play their clips; nobody could find what was silent.
  audio.volume = volume.get() || 1;
  button.hidden = false;
  track.hidden = audio.loop;

  /** @param {"ready" | "playing" | "heard"} state */
  const move = (state) => {
    root.dataset.state = state;
    label.textContent = label.dataset[state] ?? "";
  };
  const fail = () => {
    problem.textContent = problem.dataset.failed ?? "";
    problem.hidden = false;
    move("ready");
  };
  button.addEventListener("click", () => {
    if (root.dataset.state === "playing") {
      audio.pause();
      return;
    }
    audio.currentTime = 0;
    problem.hidden = true;
    audio.play().catch((/** @type {Error} */ error) => error.name !== "AbortError" && fail());
  });
  audio.addEventListener("playing", () => move("playing"));
  audio.addEventListener("pause", () => move("heard"));
  audio.addEventListener("ended", () => move("heard"));
  audio.addEventListener("error", fail);
  audio.addEventListener("timeupdate", () => {
    track.value = audio.duration > 0 ? audio.currentTime / audio.duration : 0;
  });
}

document.querySelector("form[data-volume]")?.addEventListener("submit", () => volume.set(volume.get() || 1));

const device = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-device]"));
device?.addEventListener("submit", () => {
  const plays = "AudioContext" in window && new Audio().canPlayType("audio/wav") !== "";
  part(device, "input[name=audio]", HTMLInputElement).value = plays ? "yes" : "no";
  part(device, "input[name=width]", HTMLInputElement).value = String(Math.round(window.innerWidth));
});

start();
