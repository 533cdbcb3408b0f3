/**
 * Fetch clips whole and keep those that are wanted, so that playing never waits for the network.
 *
 * They come one after the other, in the order in which they are needed: several at once on a slow line would all come too
 * late. However slow the line is, a clip fails only when the line falls silent, and what came of it is kept.
 *
 * Tells by a "progress" event, a few times a second, that more has come.
 */

const SILENCE = 10_000; // milliseconds without a byte after which a line is taken to be dead
const DEAD = new Error("The line is silent.");
const SETTLED = 1_000; // milliseconds of loading after which its pace can be told
const FEW = 3; // seconds of loading that aren't worth a word
const OFTEN = 250; // milliseconds between two "progress" events

export class Sounds extends EventTarget {
  constructor() {
    super();
    /** The wanted clips by address, in the order in which they are needed. @type {Map<string, Load>} */
    this.loads = new Map();
    /** @type {Load | null} */
    this.current = null;
    this.isHeld = false;
  }

  /**
   * Say which clips are needed now, and which are next; all others are forgotten.
   * @param {{url: string}[]} now
   * @param {{url: string}[]} [next]
   */
  want(now, next = []) {
    const known = this.loads;
    const tell = () => this.dispatchEvent(new Event("progress"));
    this.loads = new Map([...now, ...next].map(({ url }) => [url, known.get(url) ?? new Load(url, tell)]));
    this.go();
  }

  /**
   * Return a clip's bytes; asking again for one that failed tries again, from where it broke off.
   * @param {string} url
   * @returns {Promise<Blob>}
   */
  get(url) {
    const load = this.loads.get(url) ?? new Load(url);
    this.loads.set(url, load);
    if (load.hasFailed) load.wait();
    this.go();
    return load.whole;
  }

  /** Return how much of a clip has come, from 0 to 1. @param {string} url */
  share(url) {
    return this.loads.get(url)?.share ?? 0;
  }

  /** The seconds until the clip on its way has come, at the present pace; 0 when few, or too early to tell. */
  get secondsLeft() {
    const seconds = this.current?.pace ? (this.current.total - this.current.bytes) / this.current.pace : 0;
    if (seconds < FEW) return 0;
    return seconds > 10 ? 5 * Math.ceil(seconds / 5) : Math.ceil(seconds);
  }

  /** The seconds that the clip on its way takes to load at the present pace, and to play; null while it is too early to tell. */
  get outlook() {
    const { total = 0, pace = 0, rate = 0 } = this.current ?? {};
    return pace && rate ? { load: total / pace, play: total / rate } : null;
  }

  /** Leave the line to something else until it is given back. @param {boolean} isHeld */
  hold(isHeld) {
    this.isHeld = isHeld;
    this.go();
  }

  /** Load what is needed first and has not come yet; anything else on its way waits. */
  go() {
    const first = this.isHeld ? undefined : [...this.loads.values()].find((load) => !load.isOver);
    if (first === (this.current ?? undefined)) return;
    this.current?.pause();
    this.current = first ?? null;
    void first?.run().then(() => {
      if (this.current !== first || !first.isOver) return;
      this.current = null;
      this.go();
    });
  }
}

/**
 * Fetch a part of a clip once more; nothing is done with it.
 * @param {string} url
 * @param {number} start
 * @param {number} stop the first byte that isn't wanted
 */
export async function refetch(url, start, stop) {
  const line = new AbortController();
  await receive(url, { Range: `bytes=${start}-${stop - 1}` }, line, (response) => response.body, () => undefined);
}

/**
 * Hand on a response's bytes as they come; a line that falls silent is given up.
 * @param {string} url
 * @param {HeadersInit | undefined} headers
 * @param {AbortController} line
 * @param {(response: Response) => ReadableStream<Uint8Array> | null} open
 * @param {(bytes: Uint8Array) => void} take
 */
async function receive(url, headers, line, open, take) {
  const { signal } = line;
  let timer = 0;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => line.abort(DEAD), SILENCE);
  };
  try {
    listen();
    const body = open(await fetch(url, { credentials: "same-origin", headers, signal }));
    for (const reader = body?.getReader(); reader; ) {
      listen();
      const { done, value } = await reader.read();
      // What was on its way when another run began belongs to nobody.
      if (signal.aborted) throw signal.reason;
      if (done) return;
      take(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** One clip on its way, and what came of it so far. */
class Load {
  /**
   * @param {string} url
   * @param {() => void} [tell] called as more comes
   */
  constructor(url, tell = () => undefined) {
    this.url = url;
    this.tell = tell;
    this.told = 0;
    this.forget();
    this.wait();
  }

  /** Have it loaded from where it is. */
  wait() {
    this.isOver = this.hasFailed = false;
    /** @type {Promise<Blob>} */
    this.whole = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    // Nobody may be waiting for it: then its failure shows up when it is needed.
    this.whole.catch(() => undefined);
  }

  forget() {
    /** @type {Uint8Array[]} */
    this.parts = [];
    this.bytes = 0;
    this.total = 0;
    this.type = "";
  }

  /** How much of it has come, from 0 to 1. */
  get share() {
    if (this.isOver) return this.hasFailed ? 0 : 1;
    return this.total > 0 ? this.bytes / this.total : 0;
  }

  /** Bytes a second since it was last run; 0 while it is too early to tell. */
  get pace() {
    const elapsed = performance.now() - (this.began ?? Infinity);
    return elapsed > SETTLED ? ((this.bytes - (this.before ?? 0)) / elapsed) * 1000 : 0;
  }

  /** Bytes that a second of it plays, by the header of the WAV file; 0 before that has come. */
  get rate() {
    const [first] = this.parts;
    return first?.length >= 32 ? new DataView(first.buffer, first.byteOffset).getUint32(28, true) : 0;
  }

  /** Stop, until it is run again. */
  pause() {
    this.line?.abort();
  }

  /** Load until all of it has come, until it fails, or until it is paused. */
  async run() {
    let line = (this.line = new AbortController());
    this.began = performance.now();
    this.before = this.bytes;
    for (;;) {
      const before = this.bytes;
      try {
        await this.fetch(line);
        this.isOver = true;
        this.resolve?.(new Blob(this.parts, { type: this.type }));
        this.forget();
        return;
      } catch (error) {
        if (this.line !== line || (line.signal.aborted && line.signal.reason !== DEAD)) return;
        // A connection that broke or fell silent after bytes had come is made anew: where packets get lost, one may hang.
        if (this.bytes > before) {
          if (line.signal.aborted) line = this.line = new AbortController();
          continue;
        }
        this.isOver = this.hasFailed = true;
        this.reject?.(error);
        return;
      }
    }
  }

  /** Take in what is missing. @param {AbortController} line */
  async fetch(line) {
    const headers = this.bytes > 0 ? { Range: `bytes=${this.bytes}-` } : undefined;
    await receive(this.url, headers, line, (response) => this.open(response), (bytes) => this.take(bytes));
  }

  /** @param {Uint8Array} bytes */
  take(bytes) {
    this.parts.push(bytes);
    this.bytes += bytes.length;
    const now = performance.now();
    if (now - this.told < OFTEN) return;
    this.told = now;
    this.tell();
  }

  /** Return a response's bytes, once it is known that they are what is missing. @param {Response} response */
  open(response) {
    const isRest = response.status === 206 && response.headers.get("Content-Range")?.startsWith(`bytes ${this.bytes}-`);
    if (!isRest) this.forget();
    if (!isRest && response.status !== 200) throw new Error(`The clip came back with status ${response.status}.`);
    this.type = response.headers.get("Content-Type") ?? "";
    this.total = this.bytes + Number(response.headers.get("Content-Length") ?? 0);
    // A Wi-Fi portal answers everything with a page of its own.
    if (!response.body || !this.type.startsWith("audio/")) throw new Error("What came back is no sound.");
    return response.body;
  }
}
