import { Pace } from "./line.js";
import { Memory } from "./page.js";

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
    if (load.hasFailed) load.whole = load.wait();
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
    return seconds > 10 ? 5 * Math.round(seconds / 5) : Math.ceil(seconds);
  }

  /** The seconds that the clip on its way takes to load at the present pace, and to play; null while it is too early to tell. */
  get outlook() {
    const { total = 0, pace = 0, rate = 0, speed } = this.current ?? {};
    return pace && rate ? { load: (speed?.latency ?? 0) + total / pace, play: total / rate } : null;
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
 * Fetch a part of a clip from the server once more, for the server to note; nothing is done with it.
 * @param {string} url
 * @param {number} start
 * @param {number} stop the first byte that isn't wanted
 */
export async function refetch(url, start, stop) {
  const line = new AbortController();
  // What the browser keeps would never reach the server.
  await receive(url, { headers: { Range: `bytes=${start}-${stop - 1}` }, cache: "no-store" }, line, (response) => response.body, () => undefined);
}

/**
 * Hand on a response's bytes as they come; a line that falls silent is given up.
 * @param {string} url
 * @param {RequestInit} options
 * @param {AbortController} line
 * @param {(response: Response) => Response["body"]} open
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} take
 */
async function receive(url, options, line, open, take) {
  const { signal } = line;
  let timer = 0;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => line.abort(DEAD), SILENCE);
  };
  try {
    listen();
    const body = open(await fetch(url, { credentials: "same-origin", ...options, signal }));
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
    this.speed = new Pace();
    /** @type {Uint8Array<ArrayBuffer>[]} */
    this.parts = [];
    this.bytes = this.total = 0;
    this.type = "";
    this.whole = this.wait();
  }

  /** Have it loaded from where it is. @returns {Promise<Blob>} */
  wait() {
    this.isOver = this.hasFailed = false;
    const whole = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Nobody may be waiting for it: then its failure shows up when it is needed.
    whole.catch(() => undefined);
    return whole;
  }

  forget() {
    this.parts = [];
    this.bytes = this.total = 0;
    this.type = "";
  }

  /** How much of it has come, from 0 to 1. */
  get share() {
    if (this.isOver) return this.hasFailed ? 0 : 1;
    return this.total > 0 ? this.bytes / this.total : 0;
  }

  /** Bytes a second of its present run; 0 while it is too early to tell. */
  get pace() {
    return this.speed.of(this.bytes);
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
    this.speed = new Pace();
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
    /** @type {RequestInit} */
    const options = this.bytes > 0 ? { headers: { Range: `bytes=${this.bytes}-` }, cache: "no-store" } : {};
    await receive(this.url, options, line, (response) => this.open(response), (bytes) => this.take(bytes));
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  take(bytes) {
    this.parts.push(bytes);
    this.bytes += bytes.length;
    const now = performance.now();
    this.speed.note(this.bytes);
    if (now - this.told < OFTEN) return;
    this.told = now;
    this.tell();
  }

  /** Return a response's bytes, once it is known that they are what is missing. @param {Response} response */
  open(response) {
    const isRest = response.status === 206 && response.headers.get("Content-Range")?.startsWith(`bytes ${this.bytes}-`);
    if (!isRest) this.forget();
    if (!isRest && response.status !== 200) {
      throw Object.assign(new Error(`The clip came back with status ${response.status}.`), { wait: retryAfter(response) });
    }
    this.type = response.headers.get("Content-Type") ?? "";
    this.total = this.bytes + Number(response.headers.get("Content-Length") ?? 0);
    // A Wi-Fi portal answers everything with a page of its own.
    if (!response.body || !this.type.startsWith("audio/")) throw new Error("What came back is no sound.");
    return response.body;
  }
}

/**
 * Bring one answer to the server, however long that takes, and lose it to nothing.
 *
 * The answer stays in sessionStorage until the server has said yes or no, so a reload sends it again. It carries an
 * idempotency key: sending twice stores once.
 *
 * @typedef {{token: string, position: number, body: {key: string, answer: object, evidence: object}}} Letter
 * @typedef {{status: number, body: any, wait: number | undefined}} Reply
 * @typedef {Record<string, [number, number][]>} Missing half-open ranges of bytes by the clip's key
 * @typedef {"sending" | "offline" | "busy" | "early"} Mood
 */

const PATIENCE = 20_000;
export const LONGEST = 15;

export class Outbox {
  /**
   * @param {{api: string, name: string, tab: () => string, replay: (missing: Missing) => Promise<void>,
   *          tell: (mood: Mood, seconds: number) => void}} options
   *   `replay` fetches the bytes that the server doesn't know to have been sent, and says again that the clips were
   *   played; `tell` hears how the sending goes.
   */
  constructor({ api, name, tab, replay, tell }) {
    if (!api || !name) throw new Error("An outbox needs the address of the API and a name.");
    this.api = api;
    this.memory = new Memory(() => sessionStorage, `earshot:${name}:outbox`);
    this.tab = tab;
    this.replay = replay;
    this.tell = tell;
    /** @type {Letter | null} */
    this.letter = this.memory.get();
  }

  /** @param {Letter | null} letter */
  keep(letter) {
    this.letter = letter;
    this.memory.set(letter);
  }

  /**
   * Send until the server has decided. Resolves with its reply; what comes next and lasting refusals empty the outbox,
   * but "other_tab" leaves the letter in place: this tab may take over again.
   * @param {Letter} letter
   * @returns {Promise<Reply>}
   */
  async send(letter) {
    this.keep(letter);
    for (let failures = 0, early = 0; ; ) {
      this.tell("sending", 0);
      const reply = decided(await call(`${this.api}answers/${letter.token}`, { tab: this.tab(), ...letter.body }));
      if (reply === null || isBusy(reply)) {
        const isOffline = reply === null;
        const seconds = reply?.wait ?? Math.min(LONGEST, 2 ** failures * (0.75 + Math.random() / 2));
        failures += 1;
        this.tell(isOffline ? "offline" : "busy", seconds);
        await pause(seconds, isOffline);
      } else if (reply.status === 425) {
        failures = 0;
        // Asked again and again, a server that still lacks something is asked less often.
        const seconds = Math.max(Number(reply.body.retry_after ?? reply.wait ?? 1), early > 1 ? Math.min(LONGEST, early) : 0);
        early += 1;
        this.tell("early", seconds);
        if (reply.body.error === "not_played") await this.replay(reply.body.missing ?? {});
        await pause(seconds + 0.1, false);
      } else {
        if (reply.body.error !== "other_tab") this.keep(null);
        return reply;
      }
    }
  }
}

/**
 * Get an address, or post to it when there is something to say.
 * @param {string} url
 * @param {object} [sent]
 * @returns {Promise<Reply | null>} null when nothing came back
 */
export async function call(url, sent) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent) };
  try {
    const response = await fetch(url, {
      ...(sent && post),
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE),
    });
    const body = await response.json().catch(() => null);
    return { status: response.status, body, wait: retryAfter(response) };
  } catch (error) {
    // The line may be fine and the server slow: on SQLite a request waits as long as this for others to write.
    const isSlow = error instanceof DOMException && error.name === "TimeoutError" && navigator.onLine;
    return isSlow ? { status: 504, body: null, wait: undefined } : null;
  }
}

/** Return the seconds after which a server wants to be asked again. @param {Response} response @returns {number | undefined} */
function retryAfter(response) {
  const wait = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  return Number.isFinite(wait) ? wait : undefined;
}

/**
 * Tell replies of the application from those of a Wi-Fi portal or a proxy, which may be anything at all: those come to
 * no more than a lost connection.
 * @param {Reply | null} reply
 * @returns {Reply | null} null when nobody has decided anything
 */
export function decided(reply) {
  if (reply === null || isBusy(reply)) return reply;
  const isOurs = reply.status === 200 ? ["trial", "ended"].includes(reply.body?.state) : typeof reply.body?.error === "string";
  return isOurs ? reply : null;
}

/** Say whether the same is worth another try later. @param {Reply} reply */
export function isBusy(reply) {
  return reply.status >= 500 || reply.status === 429 || (reply.status === 409 && reply.body?.error === "busy");
}

/**
 * Wait; when offline, only until the connection is back.
 * @param {number} seconds
 * @param {boolean} untilOnline
 * @returns {Promise<void>}
 */
export function pause(seconds, untilOnline) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    if (untilOnline) addEventListener("online", done);
  });
}

/** Return a random UUID, also on plain HTTP, where crypto.randomUUID is missing. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
