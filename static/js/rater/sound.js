/** Fetch clips whole and keep the few that are needed next, so that playing never waits for the network. */

const KEPT = 6;
const AT_ONCE = 3;
const PATIENCE = 30_000;

export class Sounds {
  constructor() {
    /** @type {Map<string, Promise<Blob>>} */
    this.loading = new Map();
    this.kept = KEPT;
    this.free = AT_ONCE;
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /** Keep room for this many clips. @param {number} clips */
  keep(clips) {
    this.kept = Math.max(KEPT, clips);
  }

  /**
   * Return a clip's bytes; a failed load is forgotten, so that asking again tries again.
   * @param {string} url
   * @returns {Promise<Blob>}
   */
  get(url) {
    const known = this.loading.get(url);
    if (known) return known;
    const fresh = this.load(url);
    this.loading.set(url, fresh);
    fresh.catch(() => this.loading.delete(url));
    for (const old of [...this.loading.keys()].slice(0, -this.kept)) this.loading.delete(old);
    return fresh;
  }

  /**
   * Load ahead; nobody waits for it, and a failure shows up when the clip is needed.
   * @param {{url: string}[]} clips
   */
  prefetch(clips) {
    for (const clip of clips) this.get(clip.url).catch(() => undefined);
  }

  /** Load one clip in its turn: many at once on a slow line would all come too late. @param {string} url */
  async load(url) {
    if (this.free > 0) this.free -= 1;
    else await new Promise((/** @type {(value?: unknown) => void} */ resolve) => this.waiting.push(resolve));
    try {
      return await this.fetch(url);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }

  /** @param {string} url */
  async fetch(url) {
    const response = await fetch(url, { credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`The clip came back with status ${response.status}.`);
    // A Wi-Fi portal answers everything with a page of its own.
    if (!response.headers.get("Content-Type")?.startsWith("audio/")) throw new Error("What came back is no sound.");
    return response.blob();
  }
}
