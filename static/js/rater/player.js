import { Hearing } from "./hearing.js";
import { part } from "./texts.js";

/**
 * One clip: Play and Pause, time and progress, no way to seek.
 *
 * Tells what happens by events: "ready", "began" (a play from the start), "playing", "paused", "voided", "heard" (once a
 * play reached the end), "failed". What it counts is evidence; the server decides by its own clock.
 *
 * @typedef {{key: string, url: string, seconds: number}} Clip
 * @typedef {"loading" | "ready" | "playing" | "paused" | "ended" | "failed"} PlayerState
 */

const SKIP = 0.75; // a jump of more than this many seconds is a seek, not a late tick
const QUIET = 1500; // milliseconds after which a silent browser is taken to be ready
const END = 0.25; // Safari sometimes stops this close to the end without saying so

export class Player extends EventTarget {
  /**
   * @param {HTMLElement} root
   * @param {import("./sound.js").Sounds} sounds
   * @param {import("./texts.js").Texts} texts
   * @param {import("./memory.js").Memory} volume
   */
  constructor(root, sounds, texts, volume) {
    super();
    this.root = root;
    this.sounds = sounds;
    this.texts = texts;
    this.button = part(root, "[data-part=play]");
    this.label = part(root, "[data-part=label]");
    this.track = /** @type {HTMLProgressElement} */ (part(root, "[data-part=track]"));
    this.time = part(root, "[data-part=time]");
    this.audio = new Audio();
    this.audio.preload = "auto";
    this.audio.disableRemotePlayback = true;
    /** @type {PlayerState} */
    this.state = "loading";
    /** @type {Clip | null} */
    this.clip = null;
    this.hearing = new Hearing();
    /** @type {{maxPlays: number | null, isVoidedByInterruption: boolean}} */
    this.rules = { maxPlays: null, isVoidedByInterruption: false };
    this.button.addEventListener("click", () => this.press());
    this.listen();
    this.offerVolume(volume);
  }

  /**
   * Show a clip and load it.
   * @param {Clip} clip
   * @param {{maxPlays: number | null, isVoidedByInterruption: boolean}} rules
   * @param {Hearing} hearing what was heard of it before
   */
  async show(clip, rules, hearing) {
    this.stop();
    this.clip = clip;
    this.rules = rules;
    this.hearing = hearing;
    this.wasHeard = false;
    this.isUsedUp = false;
    this.furthest = 0;
    this.move("loading");
    this.tick();
    try {
      const blob = await this.sounds.get(clip.url);
      if (this.clip !== clip) return;
      this.address = URL.createObjectURL(blob);
      this.audio.src = this.address;
      await this.open();
      if (this.clip === clip) this.move("ready");
    } catch {
      if (this.clip === clip) this.move("failed");
    }
  }

  /** Wait until the browser can play what it was given; some tell nothing before the first play. */
  open() {
    return new Promise((resolve, reject) => {
      this.audio.addEventListener("loadedmetadata", resolve, { once: true });
      this.audio.addEventListener("error", reject, { once: true });
      setTimeout(resolve, QUIET);
      this.audio.load();
    });
  }

  /** Stop, and forget the clip. */
  stop() {
    this.clip = null;
    this.audio.pause();
    this.audio.removeAttribute("src");
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = undefined;
  }

  /** Play, pause or try again: called straight from the click, since browsers allow sound only then. */
  press() {
    if (this.state === "loading" || !this.clip) return;
    if (this.state === "failed") {
      void this.show(this.clip, this.rules, this.hearing);
      return;
    }
    if (this.state === "playing") {
      this.audio.pause();
      return;
    }
    if (this.state === "paused") {
      this.sound();
      return;
    }
    if (this.isUsedUp) return;
    this.furthest = 0;
    this.audio.currentTime = 0;
    this.sound();
    this.hearing.begin();
    this.isUsedUp = this.rules.maxPlays !== null && this.hearing.past.plays >= this.rules.maxPlays;
    this.dispatchEvent(new Event("began"));
  }

  sound() {
    this.audio.play().catch((/** @type {Error} */ error) => {
      // A pause that comes before the first sound is no failure.
      if (error.name !== "AbortError") this.move("failed");
    });
  }

  /** No play is left, however much of it was heard: stop, and let the rater answer. */
  useUp() {
    this.isUsedUp = true;
    this.wasHeard = true;
    this.audio.pause();
    this.audio.currentTime = this.furthest = 0;
    this.move("ended");
  }

  get isBusy() {
    return this.state === "playing";
  }

  /** Go from the page for good. */
  leave() {
    this.stop();
    this.root.remove();
  }

  /** @param {string} name empty when there is but one clip */
  name(name) {
    const shown = part(this.root, "[data-part=name]");
    shown.textContent = name;
    shown.hidden = !name;
    this.root.setAttribute("aria-label", name);
  }

  /** Offer a volume slider, unless the browser leaves volume to the device's own buttons. @param {import("./memory.js").Memory} memory */
  offerVolume(memory) {
    const slider = /** @type {HTMLInputElement} */ (part(this.root, "[data-part=volume]"));
    this.audio.volume = 0.5;
    part(this.root, "[data-part=volume-label]").hidden = this.audio.volume !== 0.5;
    const apply = () => (this.audio.volume = Number(slider.value));
    slider.value = String(memory.get() ?? 1);
    apply();
    slider.addEventListener("input", () => {
      apply();
      memory.set(this.audio.volume);
    });
  }

  /** @param {PlayerState} state */
  move(state) {
    this.state = state;
    this.root.dataset.state = state;
    const names = { loading: "wait", ready: "play", playing: "pause", paused: "resume", ended: "again", failed: "retry" };
    this.label.textContent = this.texts.get(names[state]);
    const isOff = state === "loading" || (this.isUsedUp && (state === "ended" || state === "ready"));
    this.button.setAttribute("aria-disabled", String(isOff));
    this.dispatchEvent(new Event("change"));
  }

  listen() {
    const { audio } = this;
    audio.addEventListener("playing", () => {
      if (!audio.paused) this.move("playing");
    });
    audio.addEventListener("timeupdate", () => this.follow());
    audio.addEventListener("seeking", () => this.undoSeek());
    audio.addEventListener("ratechange", () => {
      if (audio.playbackRate !== 1) audio.playbackRate = 1;
    });
    audio.addEventListener("ended", () => this.end());
    audio.addEventListener("pause", () => {
      if (!this.clip || audio.ended) return;
      if (audio.currentTime >= audio.duration - END) this.end();
      else if (this.state === "playing") this.interrupt();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && this.state === "playing") {
        if (this.rules.isVoidedByInterruption) audio.pause();
        else this.hearing.interrupt();
      }
    });
    for (const action of /** @type {MediaSessionAction[]} */ (["seekto", "seekforward", "seekbackward", "nexttrack", "previoustrack"])) {
      try {
        navigator.mediaSession?.setActionHandler(action, () => undefined);
      } catch {
        // Not every browser knows every key.
      }
    }
  }

  follow() {
    const { currentTime } = this.audio;
    if (currentTime > this.furthest + SKIP) this.undoSeek();
    else this.furthest = Math.max(this.furthest, currentTime);
    this.tick();
  }

  undoSeek() {
    if (Math.abs(this.audio.currentTime - this.furthest) > SKIP) this.audio.currentTime = this.furthest;
  }

  interrupt() {
    this.hearing.interrupt();
    this.measure();
    if (!this.rules.isVoidedByInterruption || this.wasHeard) {
      this.move("paused");
    } else if (this.isUsedUp) {
      this.useUp();
    } else {
      this.audio.currentTime = this.furthest = 0;
      this.move("ready");
      this.dispatchEvent(new Event("voided"));
    }
  }

  end() {
    if (this.state === "ended") return;
    this.measure();
    this.furthest = this.audio.duration;
    this.hearing.end();
    this.wasHeard = true;
    this.tick();
    this.move("ended");
    this.dispatchEvent(new Event("heard"));
  }

  measure() {
    this.hearing.measure(this.audio);
  }

  tick() {
    const whole = this.clip?.seconds ?? 0;
    const now = Math.min(this.furthest ?? 0, whole);
    this.track.value = whole > 0 ? now / whole : 0;
    this.time.textContent = `${clock(now)} / ${clock(whole)}`;
  }
}

/** @param {number} seconds */
export function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
