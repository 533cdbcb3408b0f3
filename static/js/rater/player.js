import { Hearing, part } from "./page.js";

/**
 * One clip: Play and Pause, time and progress, no way to seek.
 *
 * Tells what happens by events: "change", "starting" (it is about to sound), "began" (a play that counts), "voided",
 * "heard" (once it was played to the end), "volume". What it counts is evidence; the server decides by its own clock.
 *
 * A clip among several comes without its length, and its player shows no time.
 *
 * @typedef {{key: string, url: string, heard?: boolean, seconds?: number}} Clip
 *   `heard`: by the server's clock, it can have been heard to its end.
 * @typedef {{token: string, shown: Record<string, any>, clips: Clip[], max_plays: number | null,
 *            interruption: string, playback: string}} Trial
 * @typedef {{state: "trial", tab: string, saved: number, set: number, sets: number, position: number, size: number,
 *            minutes_left: number | null, trial: Trial, next: {url: string}[]}} Progress
 * @typedef {"loading" | "ready" | "playing" | "paused" | "ended" | "failed"} PlayerState
 * @typedef {{maxPlays: number | null, isVoidedByInterruption: boolean, place: {seconds: number} | null}} Rules
 *   `place`: where all clips of the trial stand, if they go in step.
 */

const ALMOST = 0.999;
// After so many failures it may be skipped: one that doesn't play, and one that doesn't load and is loaded again by itself.
const TRIES = { mute: 2, loading: 4 };
const PAUSES = [1, 2, 4, 8, 15, 30]; // seconds until a clip is loaded again
const LONGEST = 120; // seconds that a server may ask for

export class Player extends EventTarget {
  /**
   * @param {HTMLElement} root
   * @param {import("./deck.js").Disc | import("./deck.js").Tape} deck what makes the sound
   * @param {import("./network.js").Sounds} sounds
   * @param {import("./page.js").Texts} texts
   */
  constructor(root, deck, sounds, texts) {
    super();
    this.root = root;
    this.deck = deck;
    this.sounds = sounds;
    this.texts = texts;
    this.button = part(root, "[data-part=play]");
    this.label = part(root, "[data-part=label]");
    this.track = part(root, "[data-part=track]", HTMLProgressElement);
    this.time = part(root, "[data-part=time]");
    this.volume = part(root, "[data-part=volume-label]");
    this.slider = part(root, "[data-part=volume]", HTMLInputElement);
    /** @type {PlayerState} */
    this.state = "loading";
    /** @type {Clip | null} */
    this.clip = null;
    this.hearing = new Hearing();
    /** @type {Rules} */
    this.rules = { maxPlays: null, isVoidedByInterruption: false, place: null };
    this.wasHeard = this.isUsedUp = this.isStarting = this.isLeft = this.isMute = false;
    /** How often which clip failed. */
    this.failures = { key: "", times: 0 };
    /** When a clip that failed is loaded again, by the page's clock. */
    this.retry = { at: 0, timer: 0 };
    this.button.addEventListener("click", () => this.press());
    this.slider.addEventListener("input", () => {
      this.deck.volume = Number(this.slider.value);
      this.dispatchEvent(new Event("volume"));
    });
    addEventListener("online", () => this.state === "failed" && !this.isMute && this.press());
    sounds.addEventListener("progress", () => this.state === "loading" && this.tick());
    this.listen();
  }

  /**
   * Show a clip and load it.
   * @param {Clip} clip
   * @param {Rules} rules
   * @param {Hearing} hearing what was heard of it before
   */
  async show(clip, rules, hearing) {
    this.stop();
    this.clip = clip;
    this.rules = rules;
    this.hearing = hearing;
    // What was heard before a reload counts, if the server has seen it too.
    this.wasHeard = clip.heard === true && hearing.past.ended !== null;
    this.isUsedUp = this.wasHeard && this.isSpent;
    this.isStarting = this.isLeft = this.isMute = false;
    this.move("loading");
    this.tick();
    try {
      const blob = await this.sounds.get(clip.url);
      if (this.clip !== clip) return;
      await this.deck.take(blob);
      if (this.clip !== clip) return;
      this.move(this.wasHeard ? "ended" : "ready");
      this.tick();
    } catch (error) {
      if (this.clip !== clip) return;
      this.move("failed");
      this.loadLater(/** @type {{wait?: number}} */ (error).wait);
    }
  }

  /** Load the clip again by itself, after a pause that grows. @param {number} [wanted] the seconds that the server asks for */
  loadLater(wanted = 0) {
    const growing = PAUSES[Math.min(this.failures.times, PAUSES.length) - 1];
    this.retry.at = performance.now() + 1000 * Math.max(growing, Math.min(wanted, LONGEST));
    this.retry.timer = setInterval(() => {
      if (performance.now() >= this.retry.at) this.press();
      else this.dispatchEvent(new Event("change"));
    }, 250);
    this.dispatchEvent(new Event("change"));
  }

  /** The seconds until a clip that failed is loaded again; 0 while it isn't. */
  get secondsLeft() {
    const isWaiting = this.state === "failed" && !this.isMute;
    return isWaiting ? Math.max(1, Math.ceil((this.retry.at - performance.now()) / 1000)) : 0;
  }

  /** Whether trying again has not helped. */
  get isStuck() {
    const isTrying = this.state === "failed" || this.state === "loading";
    const isSameClip = this.failures.key === this.clip?.key;
    return isTrying && isSameClip && this.failures.times >= (this.isMute ? TRIES.mute : TRIES.loading) && navigator.onLine;
  }

  /** Stop, and forget the clip. */
  stop() {
    clearInterval(this.retry.timer);
    this.clip = null;
    this.deck.drop();
  }

  /** Play, pause or try again: called straight from the click, since browsers allow sound only then. */
  press() {
    if (this.state === "loading" || this.isStarting || !this.clip) return;
    if (this.state === "failed") {
      this.clip.heard ||= this.wasHeard;
      void this.show(this.clip, this.rules, this.hearing);
    } else if (this.state === "playing") this.pause();
    else if (this.state === "paused") this.sound();
    else if (!this.isUsedUp) this.begin();
  }

  begin() {
    const { place } = this.rules;
    this.isLeft = false;
    this.sound(() => this.deck.rewind(place?.seconds ?? 0));
    this.hearing.begin();
    this.isUsedUp = this.isSpent;
    this.dispatchEvent(new Event("began"));
  }

  /** Whether no play is left beyond those that began. */
  get isSpent() {
    const { plays, voided } = this.hearing.past;
    return this.rules.maxPlays !== null && plays - voided >= this.rules.maxPlays;
  }

  /** Give the play under way back, where an interruption voids it. */
  giveBack() {
    if (this.state !== "playing" || !this.rules.isVoidedByInterruption || this.wasHeard) return;
    this.hearing.giveBack();
    this.isUsedUp = this.isSpent;
  }

  /** @param {() => void} [prepare] called once all others are silent */
  sound(prepare) {
    const { clip } = this;
    this.dispatchEvent(new Event("starting"));
    prepare?.();
    this.isStarting = true;
    this.deck.play().catch((/** @type {Error} */ error) => {
      if (this.clip !== clip) return;
      this.isStarting = false;
      // A pause that comes before the first sound is no failure.
      if (error.name !== "AbortError") this.fallSilent();
    });
  }

  /** The clip has come, but the device doesn't play it: its output may be gone. */
  fallSilent() {
    if (this.state === "failed") return;
    if (this.state === "playing") this.hearing.interrupt();
    this.giveBack();
    this.isStarting = false;
    this.isMute = true;
    this.move("failed");
  }

  /** What to say of a clip that failed. */
  get fault() {
    return this.isMute ? "mute" : "failed";
  }

  pause() {
    this.deck.pause();
    if (this.rules.place) this.rules.place.seconds = this.deck.position;
  }

  /** Fall silent, since another clip is about to sound. */
  giveWay() {
    if (this.isBusy) {
      this.isLeft = true;
      this.pause();
    } else if (this.state === "paused") {
      this.rest();
    }
  }

  /** Begin anew when played again; a clip that may not be played anew goes on where it was left. */
  rest() {
    this.isLeft = false;
    if (!this.isUsedUp || this.wasHeard) {
      this.deck.rewind();
      this.tick();
      this.move(this.wasHeard ? "ended" : "ready");
    } else if (this.rules.place) {
      this.useUp();
    } else {
      this.move("paused");
    }
  }

  /** No play is left, however much of it was heard: stop, and let the rater answer. */
  useUp() {
    this.isUsedUp = true;
    this.wasHeard = true;
    this.deck.pause();
    this.deck.rewind();
    this.tick();
    this.move("ended");
  }

  /** Ask for another play from the beginning, unless none is left. */
  askAgain() {
    if (this.isUsedUp) return;
    this.wasHeard = false;
    this.hearing.again();
    this.deck.rewind();
    this.tick();
    this.move("ready");
  }

  get isBusy() {
    return this.state === "playing" || this.isStarting;
  }

  /** Go from the page for good. */
  leave() {
    this.stop();
    this.root.remove();
    this.volume.remove();
  }

  /** @param {string} name empty when there is but one clip */
  name(name) {
    const shown = part(this.root, "[data-part=name]");
    shown.textContent = name;
    shown.hidden = !name;
    this.root.setAttribute("aria-label", name);
  }

  /**
   * @param {number} volume
   * @param {boolean} isOffered whether there is a slider here, unless the device leaves volume to its own buttons
   */
  setVolume(volume, isOffered) {
    this.deck.volume = volume;
    this.slider.value = String(volume);
    this.volume.hidden = !isOffered || !this.deck.hasVolume;
  }

  /** @param {PlayerState} state */
  move(state) {
    this.state = state;
    if (state === "failed") this.fail();
    this.root.dataset.state = state;
    const names = { loading: "wait", ready: "play", playing: "pause", paused: "resume", ended: "again", failed: this.isMute ? "retry" : "now" };
    this.label.textContent = this.texts.get(names[state]);
    const isOff = state === "loading" || (this.isUsedUp && (state === "ended" || state === "ready"));
    this.button.setAttribute("aria-disabled", String(isOff));
    this.dispatchEvent(new Event("change"));
  }

  fail() {
    const key = this.clip?.key ?? "";
    this.failures = { key, times: key === this.failures.key ? this.failures.times + 1 : 1 };
  }

  listen() {
    const { deck } = this;
    deck.addEventListener("playing", () => {
      this.isStarting = false;
      this.move("playing");
    });
    deck.addEventListener("moved", () => {
      this.tick();
      if (this.rules.place && !this.wasHeard && deck.played > ALMOST) this.hear();
    });
    deck.addEventListener("stopped", () => {
      this.isStarting = false;
      if (this.clip && this.state === "playing") this.interrupt();
      else if (this.state === "paused" && this.isLeft) this.rest();
    });
    deck.addEventListener("ended", () => this.clip && this.end());
    deck.addEventListener("failed", () => this.clip && this.state !== "loading" && this.fallSilent());
    deck.addEventListener("sought", () => this.hearing.seek());
    deck.addEventListener("sped", () => this.hearing.speed());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && this.state === "playing") {
        if (this.rules.isVoidedByInterruption) this.pause();
        else this.hearing.interrupt();
      }
    });
  }

  interrupt() {
    this.hearing.interrupt();
    this.giveBack();
    this.measure();
    if (!this.rules.isVoidedByInterruption || this.wasHeard) {
      if (this.isLeft) this.rest();
      else this.move("paused");
    } else if (this.isUsedUp) {
      this.useUp();
    } else {
      this.deck.rewind();
      this.tick();
      this.move("ready");
      this.dispatchEvent(new Event("voided"));
    }
  }

  end() {
    if (this.state === "ended") return;
    this.measure();
    if (this.rules.place) this.rules.place.seconds = 0;
    this.tick();
    if (!this.rules.place || this.deck.played > ALMOST) this.hear();
    if (this.isUsedUp && !this.wasHeard) this.useUp();
    else this.move(this.wasHeard ? "ended" : "ready");
  }

  /** It was heard whole. */
  hear() {
    this.wasHeard = true;
    this.hearing.end();
    this.dispatchEvent(new Event("heard"));
    this.dispatchEvent(new Event("change"));
  }

  measure() {
    this.hearing.measure(this.deck.played);
  }

  /** Note what will be left of a play when the page goes away. */
  pass() {
    if (!this.clip) return;
    this.giveBack();
    this.measure();
  }

  tick() {
    const told = this.clip?.seconds;
    const whole = told ?? this.deck.duration;
    const now = Math.min(this.deck.position, whole);
    if (this.clip && this.state === "loading") this.track.value = this.sounds.share(this.clip.url);
    else this.track.value = whole > 0 ? now / whole : 0;
    this.time.hidden = told === undefined;
    this.time.textContent = told === undefined ? "" : `${clock(now)} / ${clock(told)}`;
  }
}

/** @param {number} seconds */
export function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
