/** Fetch clips whole and keep the few that are needed next, so that playing never waits for the network. */

const KEPT = 6;
const PATIENCE = 30_000;

export class Sounds {
  constructor() {
    /** @type {Map<string, Promise<Blob>>} */
    this.loading = new Map();
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
    for (const old of [...this.loading.keys()].slice(0, -KEPT)) this.loading.delete(old);
    return fresh;
  }

  /**
   * Load ahead; nobody waits for it, and a failure shows up when the clip is needed.
   * @param {{url: string}[]} clips
   */
  prefetch(clips) {
    for (const clip of clips) this.get(clip.url).catch(() => undefined);
  }

  /** @param {string} url */
  async load(url) {
    const response = await fetch(url, { credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`The clip came back with status ${response.status}.`);
    // A Wi-Fi portal answers everything with a page of its own.
    if (!response.headers.get("Content-Type")?.startsWith("audio/")) throw new Error("What came back is no sound.");
    return response.blob();
  }
}
