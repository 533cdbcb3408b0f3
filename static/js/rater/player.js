import { part } from "./page.js";

/**
 * What the browser saw of one clip's playback. It is evidence: the server decides by what it saw itself.
 *
 * It can be kept and taken up again, so that a reload loses no count and no moment.
 *
 * @typedef {{plays: number, played: number, interrupted: number, seeks: number, speeds: number, began: number | null,
 *            ended: number | null}} Past
 *   `began` and `ended` are of the first play and of the first whole one, in milliseconds of the wall clock.
 */
export class Hearing {
  /** @param {Past | null} [past] what was kept */
  constructor(past = null) {
    /** @type {Past} */
    this.past = { plays: 0, played: 0, interrupted: 0, seeks: 0, speeds: 0, began: null, ended: null, ...past };
  }

  begin() {
    this.past.plays += 1;
    this.past.began ??= now();
  }

  interrupt() {
    this.past.interrupted += 1;
  }

  /** Somebody, or something of theirs, jumped within the clip; it was taken back. */
  seek() {
    this.past.seeks += 1;
  }

  /** It was to run at another speed; that was set right. */
  speed() {
    this.past.speeds += 1;
  }

  end() {
    this.past.ended ??= now();
  }

  /** Note which share of the clip was played. @param {number} played */
  measure(played) {
    this.past.played = Math.max(this.past.played, played);
  }

  /** As it stands now; times in seconds. */
  get evidence() {
    const { plays, played, interrupted, seeks, speeds, began, ended } = this.past;
    return {
      plays,
      played: Math.round(played * 1000) / 1000,
      first_end: seconds(began, ended),
      since_end: seconds(ended, now()),
      interrupted,
      seeks,
      speeds,
    };
  }
}

const WEEK = 7 * 24 * 3600; // seconds; the server takes no more

/** The wall clock as it stood when the page was loaded, going on evenly since: nobody sets it in between. */
function now() {
  return performance.timeOrigin + performance.now();
}

/**
 * @param {number | null} from
 * @param {number | null} to
 * @returns {number | null}
 */
function seconds(from, to) {
  return from === null || to === null ? null : Math.min(WEEK, Math.max(0, Math.round(to - from) / 1000));
}

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
const TRIES = 2; // after so many failures it may be skipped

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
    this.track = /** @type {HTMLProgressElement} */ (part(root, "[data-part=track]"));
    this.time = part(root, "[data-part=time]");
    this.volume = part(root, "[data-part=volume-label]");
    this.slider = /** @type {HTMLInputElement} */ (part(root, "[data-part=volume]"));
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
    const { plays, ended } = hearing.past;
    // What was heard before a reload counts, if the server has seen it too.
    this.wasHeard = clip.heard === true && ended !== null;
    this.isUsedUp = this.wasHeard && rules.maxPlays !== null && plays >= rules.maxPlays;
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
    } catch {
      if (this.clip === clip) this.move("failed");
    }
  }

  /** Whether trying again has not helped. */
  get isStuck() {
    return this.state === "failed" && this.failures.times >= TRIES && navigator.onLine;
  }

  /** Stop, and forget the clip. */
  stop() {
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
    const { place, maxPlays } = this.rules;
    this.isLeft = false;
    this.sound(() => this.deck.rewind(place?.seconds ?? 0));
    this.hearing.begin();
    this.isUsedUp = maxPlays !== null && this.hearing.past.plays >= maxPlays;
    this.dispatchEvent(new Event("began"));
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
    const names = { loading: "wait", ready: "play", playing: "pause", paused: "resume", ended: "again", failed: "retry" };
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
