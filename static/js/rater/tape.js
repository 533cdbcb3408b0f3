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
    this.drop();
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
    /** What was played, in seconds: separate spans in order. @type {[number, number][]} */
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
