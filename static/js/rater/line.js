import { Memory } from "./memory.js";
import { fill, part } from "./texts.js";

/**
 * The line test: on a slow line it tells before the first clip how long raters will wait, and lets them leave.
 *
 * It measures while the first clip loads, which goes on behind it; on other lines nobody meets it.
 *
 * @typedef {{load: number, play: number}} Outlook seconds that a clip takes to load and to play
 */

const LONG = 8; // seconds of loading that are worth a question
const OFTEN = 1_000; // milliseconds between two looks at what has come
const NOTABLE = 60; // seconds of waiting altogether that are worth a number

export class LineTest {
  /** @param {import("./trial.js").TrialPage} page */
  constructor(page) {
    this.page = page;
    this.root = part(page.root, "[data-panel=line]");
    this.trial = part(page.root, "[data-panel=trial]");
    this.memory = new Memory(() => sessionStorage, `earshot:${page.root.dataset.name}:line`);
    if (page.progress.saved > 0 || this.memory.get()) return;
    const measure = () => this.measure(() => page.sounds.removeEventListener("progress", measure));
    page.sounds.addEventListener("progress", measure);
    part(this.root, "[data-stay]").addEventListener("click", () => this.stay());
  }

  /** Ask once the pace of the line is known, if it is slow. @param {() => void} end */
  measure(end) {
    const { outlook } = this.page.sounds;
    if (!outlook || this.trial.hidden) return;
    end();
    if (this.page.root.dataset.state === "loading" && outlook.load >= LONG) this.ask(outlook);
  }

  /** @param {Outlook} outlook */
  ask(outlook) {
    const { set, sets, size, trial } = this.page.progress;
    const clips = (sets - set + 1) * size * trial.clips.length;
    const wait = clips * Math.max(0, outlook.load - outlook.play);
    const later = part(this.root, "[data-later]");
    const sentence = wait < NOTABLE ? later.dataset.short : later.dataset.long;
    later.textContent = fill(sentence ?? "", { minutes: Math.round(wait / 60) });
    this.trial.hidden = true;
    this.root.hidden = false;
    this.page.root.dataset.state = "line";
    this.tell();
    this.timer = setInterval(() => this.tell(), OFTEN);
    part(this.root, "h2").focus();
  }

  /** Say how long the first clip will take from now on. */
  tell() {
    const { sounds, progress } = this.page;
    const [wait, ready] = ["[data-wait]", "[data-ready]"].map((selector) => part(this.root, selector));
    if (sounds.share(progress.trial.clips[0].url) === 1) {
      clearInterval(this.timer);
      wait.hidden = true;
      ready.textContent = ready.dataset.ready ?? "";
    } else if (sounds.secondsLeft > 0) {
      wait.textContent = fill(wait.dataset.loading ?? "", { seconds: sounds.secondsLeft });
    }
  }

  stay() {
    clearInterval(this.timer);
    this.memory.set(true);
    this.root.hidden = true;
    this.trial.hidden = false;
    this.page.refresh();
    this.page.players[0].button.focus();
  }
}
