import { Memory } from "./memory.js";

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
const LONGEST = 15;

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
    const wait = Number.parseFloat(response.headers.get("Retry-After") ?? "");
    const body = await response.json().catch(() => null);
    return { status: response.status, body, wait: Number.isFinite(wait) ? wait : undefined };
  } catch (error) {
    // The line may be fine and the server slow: on SQLite a request waits as long as this for others to write.
    const isSlow = error instanceof DOMException && error.name === "TimeoutError" && navigator.onLine;
    return isSlow ? { status: 504, body: null, wait: undefined } : null;
  }
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
