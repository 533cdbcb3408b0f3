/**
 * Fetch clips whole and keep those that are wanted, so that playing never waits for the network.
 *
 * They come one after the other, in the order in which they are needed: several at once on a slow line would all come too
 * late. However slow the line is, a clip fails only when the line falls silent, and what came of it is kept.
 */

const SILENCE = 10_000; // milliseconds without a byte after which a line is taken to be dead
const DEAD = new Error("The line is silent.");

export class Sounds {
  constructor() {
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
    this.loads = new Map([...now, ...next].map(({ url }) => [url, known.get(url) ?? new Load(url)]));
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

/** Fetch a clip once more, whole, whatever is known of it. @param {string} url */
export async function refetch(url) {
  const load = new Load(url);
  void load.run();
  await load.whole;
}

/** One clip on its way, and what came of it so far. */
class Load {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
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
    this.type = "";
  }

  /** Stop, until it is run again. */
  pause() {
    this.line?.abort();
  }

  /** Load until all of it has come, until it fails, or until it is paused. */
  async run() {
    const line = (this.line = new AbortController());
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
        // A connection that broke while bytes came is made anew.
        if (line.signal.reason !== DEAD && this.bytes > before) continue;
        this.isOver = this.hasFailed = true;
        this.reject?.(error);
        return;
      }
    }
  }

  /** Take in what is missing. @param {AbortController} line */
  async fetch(line) {
    const { signal } = line;
    let timer = 0;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => line.abort(DEAD), SILENCE);
    };
    try {
      listen();
      const headers = this.bytes > 0 ? { Range: `bytes=${this.bytes}-` } : undefined;
      const response = await fetch(this.url, { credentials: "same-origin", headers, signal });
      const reader = this.open(response).getReader();
      for (;;) {
        listen();
        const { done, value } = await reader.read();
        // What was on its way when another run began belongs to nobody.
        if (signal.aborted) throw signal.reason;
        if (done) return;
        this.parts.push(value);
        this.bytes += value.length;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Return a response's bytes, once it is known that they are what is missing. @param {Response} response */
  open(response) {
    const isRest = response.status === 206 && response.headers.get("Content-Range")?.startsWith(`bytes ${this.bytes}-`);
    if (!isRest) this.forget();
    if (!isRest && response.status !== 200) throw new Error(`The clip came back with status ${response.status}.`);
    this.type = response.headers.get("Content-Type") ?? "";
    // A Wi-Fi portal answers everything with a page of its own.
    if (!response.body || !this.type.startsWith("audio/")) throw new Error("What came back is no sound.");
    return response.body;
  }
}
