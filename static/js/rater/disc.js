/**
 * One clip in an audio element: the way to play a single clip, on the fewest of a browser's parts.
 *
 * Like `Tape` it tells by events what happens: "playing", "moved", "stopped" (before the end), "ended", "failed" (the
 * device can't play it any more). There is no way to skip through it or to hurry it: a jump is taken back ("sought"), and
 * another speed set right ("sped").
 */

const SKIP = 0.75; // a jump of more than this many seconds is a seek, not a late tick
const QUIET = 1500; // milliseconds after which a silent browser is taken to be ready
const END = 0.25; // Safari sometimes stops this close to the end without saying so

export class Disc extends EventTarget {
  constructor() {
    super();
    this.audio = new Audio();
    this.audio.preload = "auto";
    this.audio.disableRemotePlayback = true;
    /** Where the listener is, in seconds. */
    this.position = 0;
    this.listen();
  }

  /** @param {Blob} blob */
  async take(blob) {
    this.drop();
    this.address = URL.createObjectURL(blob);
    this.audio.src = this.address;
    await this.open();
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

  drop() {
    const { address } = this;
    this.address = undefined;
    this.position = 0;
    this.audio.pause();
    this.audio.removeAttribute("src");
    if (address) URL.revokeObjectURL(address);
  }

  /** @param {number} [seconds] */
  rewind(seconds = 0) {
    this.audio.currentTime = this.position = seconds;
  }

  play() {
    return this.audio.play();
  }

  pause() {
    this.audio.pause();
  }

  /** In seconds; 0 before it is known. */
  get duration() {
    return this.audio.duration || 0;
  }

  /** Return the share of the clip that was played. */
  get played() {
    const { played, duration, error } = this.audio;
    if (error) return 0;
    let sum = 0;
    for (let i = 0; i < played.length; i += 1) sum += played.end(i) - played.start(i);
    return duration > 0 ? Math.min(1, sum / duration) : 0;
  }

  get volume() {
    return this.audio.volume;
  }

  set volume(volume) {
    this.audio.volume = volume;
  }

  /** Some devices leave volume to their own buttons. */
  get hasVolume() {
    const before = this.audio.volume;
    this.audio.volume = 0.5;
    const isObeyed = this.audio.volume === 0.5;
    this.audio.volume = before;
    return isObeyed;
  }

  listen() {
    const { audio } = this;
    audio.addEventListener("playing", () => {
      if (!audio.paused) this.tell("playing");
    });
    audio.addEventListener("timeupdate", () => this.follow());
    audio.addEventListener("seeking", () => this.undoSeek());
    audio.addEventListener("ratechange", () => {
      if (audio.playbackRate === 1) return;
      audio.playbackRate = 1;
      this.tell("sped");
    });
    audio.addEventListener("ended", () => this.end());
    audio.addEventListener("error", () => this.address && this.tell("failed"));
    audio.addEventListener("pause", () => {
      if (!this.address || audio.ended || audio.error) return;
      if (audio.currentTime >= audio.duration - END) this.end();
      else this.tell("stopped");
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
    if (currentTime > this.position + SKIP) this.undoSeek();
    else this.position = Math.max(this.position, currentTime);
    this.tell("moved");
  }

  undoSeek() {
    if (Math.abs(this.audio.currentTime - this.position) <= SKIP) return;
    this.audio.currentTime = this.position;
    this.tell("sought");
  }

  end() {
    // Without an output device, Firefox tells an error and then the end of a clip that nobody heard.
    if (this.audio.error) return;
    this.position = this.audio.duration;
    this.tell("ended");
  }

  /** @param {"playing" | "moved" | "stopped" | "ended" | "sought" | "sped" | "failed"} name */
  tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
