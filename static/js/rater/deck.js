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

/**
 * One clip of several, in memory: raters switch between tapes without a click and without hearing two at once.
 *
 * An audio element stops in the middle of a wave, which clicks, and a browser steps its volume only from block to block.
 * Here the one falls silent over a few milliseconds, to the sample, and the other begins where that ends. It has the
 * methods and events of `Disc`; there is nothing to seek with.
 */

const FADE = 0.01; // seconds
const TICK = 50; // milliseconds
const AHEAD = 0.02; // seconds in which a start or a fade can still be scheduled to the sample, on a busy machine too
const STANDSTILL = 3000; // milliseconds after which a clock that doesn't move has lost its device: Safari says nothing
const PATIENCE = 3000; // milliseconds in which a browser that allows sound has let it begin

/** @type {AudioContext | undefined} */
let shared;
/** The moment of the context's clock at which whatever sounded last is silent. */
let silentFrom = 0;

/** Return the one context that all tapes play in: they need the same clock. */
function context() {
  // Without this, the mute switch of an iPhone silences Web Audio, though not audio elements.
  const session = /** @type {any} */ (navigator).audioSession;
  if (!shared && session) session.type = "playback";
  return (shared ??= new AudioContext());
}

export class Tape extends EventTarget {
  constructor() {
    super();
    this.level = context().createGain();
    this.level.connect(context().destination);
    /** When the context's clock was last seen to move, by the page's own. */
    this.seen = { clock: -1, at: 0 };
    this.loudness = 1;
    this.hasVolume = true;
    this.rest = 0;
    /** What was played, in seconds: separate spans in order. @type {[number, number][]} */
    this.spans = [];
    context().addEventListener("statechange", () => {
      // A call came in, or the headphones were pulled: its clock stands still.
      if (this.sounding && context().state !== "running") this.pause();
    });
  }

  /** @param {Blob} blob */
  async take(blob) {
    this.drop();
    const wanted = (this.wanted = {});
    const buffer = await context().decodeAudioData(await blob.arrayBuffer());
    if (wanted === this.wanted) this.buffer = buffer;
  }

  drop() {
    this.hush();
    this.wanted = undefined;
    /** @type {AudioBuffer | undefined} */
    this.buffer = undefined;
    this.rest = 0;
    this.spans = [];
  }

  /** Where the listener is, in seconds. */
  get position() {
    if (!this.sounding) return this.rest;
    const { from, since } = this.sounding;
    return Math.min(this.duration, from + Math.max(0, context().currentTime - since));
  }

  get duration() {
    return this.buffer?.duration ?? 0;
  }

  /** @param {number} [seconds] */
  rewind(seconds = 0) {
    this.hush();
    this.rest = Math.min(seconds, this.duration);
  }

  /** Begin once what sounded before is silent; rejected with an AbortError when it was stopped before it began. */
  async play() {
    const ticket = (this.ticket = {});
    if (context().state !== "running") {
      await Promise.race([context().resume(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
      if (context().state !== "running") throw new Error("This browser allows no sound.");
    }
    if (ticket !== this.ticket || !this.buffer) throw new DOMException("It was stopped.", "AbortError");
    this.begin(this.buffer);
    this.tell("playing");
  }

  /** @param {AudioBuffer} buffer */
  begin(buffer) {
    const source = new AudioBufferSourceNode(context(), { buffer });
    const from = this.rest;
    // The clip's own beginning is left as it is; in its midst it fades in. Silent before that, too: a browser may round
    // the moments of a start and of a fade to samples of its own, and let the one before the fade through.
    const fader = new GainNode(context(), { gain: from > 0 ? 0 : 1 });
    source.connect(fader).connect(this.level);
    const since = Math.max(context().currentTime + AHEAD, silentFrom);
    if (from > 0) fader.gain.setValueAtTime(0, since).linearRampToValueAtTime(1, since + FADE);
    source.start(since, from);
    silentFrom = since + buffer.duration - from;
    this.sounding = { source, fader, from, since, timer: setInterval(() => this.follow(), TICK) };
    this.seen = { clock: -1, at: 0 };
    source.addEventListener("ended", () => {
      if (this.sounding?.source !== source) return;
      this.note(this.duration);
      this.tell("ended");
    });
  }

  /** Tell that it goes on, or that it can't. */
  follow() {
    const [clock, at] = [context().currentTime, performance.now()];
    if (clock !== this.seen.clock) this.seen = { clock, at };
    if (at - this.seen.at < STANDSTILL) return this.tell("moved");
    this.hush();
    this.tell("failed");
  }

  pause() {
    this.hush();
    // As an audio element does it: after whoever asked for it is done.
    queueMicrotask(() => this.tell("stopped"));
  }

  /** Fade out. */
  hush() {
    this.ticket = undefined;
    if (!this.sounding) return;
    const { source, fader, from, since } = this.sounding;
    // A fade that should have begun already would begin with a jump.
    const now = context().currentTime + AHEAD;
    // What has not begun by then never sounds.
    silentFrom = now < since ? since : now + FADE;
    // It may still be fading in. How far it will have come is reckoned: what can be read now is of a moment before.
    const risen = from > 0 ? Math.min(1, Math.max(0, (now - since) / FADE)) : 1;
    fader.gain.cancelScheduledValues(now).linearRampToValueAtTime(risen, now).linearRampToValueAtTime(0, silentFrom);
    source.stop(silentFrom);
    this.note(from + silentFrom - since);
  }

  /** It sounds no more: note how far it came. @param {number} seconds */
  note(seconds) {
    if (!this.sounding) return;
    clearInterval(this.sounding.timer);
    this.rest = Math.min(this.duration, seconds);
    this.spans = joined([...this.spans, [this.sounding.from, this.rest]]);
    this.sounding = undefined;
  }

  /** Return the share of the clip that was played. */
  get played() {
    /** @type {[number, number][]} */
    const now = this.sounding ? [[this.sounding.from, this.position]] : [];
    const whole = joined([...this.spans, ...now]).reduce((sum, [start, stop]) => sum + stop - start, 0);
    return this.duration > 0 ? Math.min(1, whole / this.duration) : 0;
  }

  get volume() {
    return this.loudness;
  }

  set volume(volume) {
    this.loudness = volume;
    this.level.gain.setTargetAtTime(volume, context().currentTime, FADE);
  }

  /** @param {"playing" | "moved" | "stopped" | "ended" | "failed"} name */
  tell(name) {
    this.dispatchEvent(new Event(name));
  }
}

/**
 * Return spans in order, joined where they touch or overlap.
 * @param {[number, number][]} spans
 */
function joined(spans) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [start, stop] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], stop);
    else found.push([start, stop]);
  }
  return found;
}
