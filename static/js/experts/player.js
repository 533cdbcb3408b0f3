import { Texts, part } from "../rater/page.js";

/**
 * One clip for an expert: play, pause, seek, as often as they like. Tells "starting" when it is about to sound, "played" when it sounds.
 *
 * @typedef {{url: string, seconds: number}} Clip
 */
export class ClipPlayer extends EventTarget {
  /**
   * @param {HTMLElement} root made from the template #player
   * @param {import("../rater/network.js").Sounds} sounds
   * @param {Texts} texts
   */
  constructor(root, sounds, texts) {
    super();
    this.root = root;
    this.sounds = sounds;
    this.texts = texts;
    this.audio = new Audio();
    this.button = part(root, "[data-part=play]");
    this.seek = part(root, "[data-part=seek]", HTMLInputElement);
    /** @type {Clip | null} */
    this.clip = null;
    this.address = "";
    // Asked to play while its clip was still on the way.
    this.isAwaited = false;
    this.button.addEventListener("click", () => this.toggle());
    this.seek.addEventListener("input", () => this.jump());
    for (const name of ["play", "pause", "ended"]) this.audio.addEventListener(name, () => this.move(this.audio.paused ? "ready" : "playing"));
    this.audio.addEventListener("playing", () => this.dispatchEvent(new Event("played")));
    this.audio.addEventListener("timeupdate", () => this.tick());
  }

  /** Make a player of the page's template. @param {import("../rater/network.js").Sounds} sounds @param {Texts} texts */
  static make(sounds, texts) {
    const template = part(document, "#player");
    if (!(template instanceof HTMLTemplateElement)) throw new Error("A player is made from a <template>.");
    const root = /** @type {HTMLElement} */ (part(/** @type {DocumentFragment} */ (template.content.cloneNode(true)), ".player"));
    return new ClipPlayer(root, sounds, texts);
  }

  /** Show a clip and load it. @param {Clip} clip @param {string} [name] empty when there is but one */
  async show(clip, name = "") {
    this.stop();
    this.clip = clip;
    const shown = part(this.root, "[data-part=name]");
    shown.textContent = name;
    shown.hidden = !name;
    if (name) this.root.setAttribute("aria-label", name);
    this.move("loading");
    this.tick();
    try {
      const blob = await this.sounds.get(clip.url);
      if (this.clip !== clip) return;
      this.address = URL.createObjectURL(blob);
      this.audio.src = this.address;
      this.move("ready");
      if (this.isAwaited) this.toggle();
    } catch {
      if (this.clip === clip) this.move("failed");
    }
  }

  /** Fall silent and forget the clip. */
  stop() {
    this.clip = null;
    this.isAwaited = false;
    this.audio.pause();
    this.audio.removeAttribute("src");
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = "";
  }

  toggle() {
    const { clip } = this;
    if (!clip) return;
    this.isAwaited = this.state === "loading";
    if (this.isAwaited) return;
    if (this.state === "failed") void this.show(clip);
    else if (!this.audio.paused) this.audio.pause();
    else {
      this.dispatchEvent(new Event("starting"));
      this.audio.play().catch((/** @type {Error} */ error) => {
        // A pause that comes before the first sound is no failure.
        if (this.clip === clip && error.name !== "AbortError") this.move("failed");
      });
    }
  }

  pause() {
    this.audio.pause();
  }

  jump() {
    if (this.clip && this.state !== "loading") this.audio.currentTime = Number(this.seek.value) * this.clip.seconds;
    this.tick();
  }

  /** @param {"loading" | "ready" | "playing" | "failed"} state */
  move(state) {
    this.state = state;
    this.root.dataset.state = state;
    const names = { loading: "wait", ready: "play", playing: "pause", failed: "retry" };
    part(this.root, "[data-part=label]").textContent = this.texts.get(names[state]);
    this.button.setAttribute("aria-disabled", String(state === "loading"));
    if (state === "failed") this.dispatchEvent(new Event("failed"));
  }

  tick() {
    const whole = this.clip?.seconds ?? 0;
    const now = Math.min(this.audio.currentTime || 0, whole);
    this.seek.value = String(whole ? now / whole : 0);
    this.seek.setAttribute("aria-valuetext", `${clock(now)} / ${clock(whole)}`);
    part(this.root, "[data-part=time]").textContent = `${clock(now)} / ${clock(whole)}`;
  }
}

/** @param {number} seconds */
function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
