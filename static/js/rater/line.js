import { Memory, fill, part } from "./page.js";

const HALF = 1_250; // milliseconds: twice as long after the first byte, a pace can be told
const GROWTH = 1.5; // a line that has become so much faster from one half to the other is still speeding up
const LONG = 8; // seconds of waiting for the first clip that are worth a question
const NOTABLE = 10; // seconds of waiting for all others that are worth a number
const FEW = 150; // seconds below which a number is one of seconds
const OFTEN = 1_000; // milliseconds between two looks at what has come

/** The pace of a download, measured from its first byte until it is over, and from later on while the line speeds up. */
export class Pace {
  constructor() {
    this.began = performance.now();
    /** What had come at the first byte, a half later, and when both halves were over. @type {{at: number, bytes: number}[]} */
    this.marks = [];
    this.isSettled = false;
    this.latency = 0; // seconds until the first byte
  }

  /** Note how many bytes have come by now. @param {number} bytes */
  note(bytes) {
    const { marks } = this;
    const at = performance.now();
    if (marks.length === 0) this.latency = (at - this.began) / 1000;
    if (this.isSettled || (marks.length > 0 && at - marks[marks.length - 1].at < HALF)) return;
    marks.push({ at, bytes });
    if (marks.length < 3) return;
    const [first, second] = [0, 1].map((i) => (marks[i + 1].bytes - marks[i].bytes) / (marks[i + 1].at - marks[i].at));
    if (second > GROWTH * first) marks.shift();
    else this.isSettled = true;
  }

  /** Bytes a second until so many had come; 0 while it is too early to tell. @param {number} bytes */
  of(bytes) {
    const [from] = this.marks;
    return this.isSettled ? ((bytes - from.bytes) / (performance.now() - from.at)) * 1000 : 0;
  }
}

/**
 * Reckon the seconds that a rater waits for the first clip, and for all others. Clips come one after the other, those of a
 * trial from when the one before is shown; those of a set's first trial, only once the set before it is over.
 * @param {Outlook} outlook
 * @param {{trials: number, size: number, clips: number, answering: number}} work
 *   all trials and those of a set, the clips of each, and the seconds in which a rater answers
 */
export function waits({ load, play }, { trials, size, clips, answering }) {
  let [now, line, earlier, shown, all] = [0, 0, 0, 0, 0];
  for (let trial = 0; trial < trials; trial += 1) {
    const from = trial % size ? earlier : now;
    for (let clip = 0; clip < clips; clip += 1) {
      line = Math.max(line, from) + load;
      all += Math.max(0, line - now);
      now = Math.max(now, line) + play;
    }
    now += answering;
    [earlier, shown] = [shown, now];
  }
  return { first: load, later: all - load };
}

/**
 * The line test: on a slow line it tells before the first clip how long raters will wait, and lets them leave.
 *
 * It measures while the first clip loads, which goes on behind it; on other lines nobody meets it.
 *
 * @typedef {{load: number, play: number}} Outlook seconds that a clip takes to load and to play
 */
export class LineTest {
  /**
   * @param {{root: HTMLElement, progress: any, sounds: any, players: {button: HTMLElement}[], refresh: () => void}} page
   *   the trial page
   */
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
    const { set, sets, size, trial } = this.page.progress;
    const answering = Number(this.root.dataset.answering) * trial.clips.length;
    const work = { trials: (sets - set + 1) * size, size, clips: trial.clips.length, answering };
    const { first, later } = waits(outlook, work);
    const isWorthAWord = first >= LONG || first + later >= FEW;
    if (this.page.root.dataset.state === "loading" && isWorthAWord) this.ask(first, later);
  }

  /**
   * @param {number} first
   * @param {number} later
   */
  ask(first, later) {
    const line = part(this.root, "[data-later]");
    const { short, seconds, long } = line.dataset;
    const all = first + later;
    const sentence = later < NOTABLE ? short : all < FEW ? seconds : long;
    line.textContent = fill(sentence ?? "", { minutes: Math.round(all / 60), seconds: 10 * Math.round(all / 10) });
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
