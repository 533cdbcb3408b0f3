/**
 * Sends a file in parts, each to the address that the server names for it, and goes on where it stopped.
 *
 * @typedef {object} Target @property {number} number counted from 1 @property {string} url
 * @typedef {object} State what the server knows of an upload
 * @property {string} key @property {string} url @property {number} bytes @property {number} part_bytes
 * @property {number} parts @property {number} missing @property {boolean} is_whole @property {boolean} is_direct
 * @property {Target[]} next
 */

const LONGEST = 15;

/** The server has said no, and saying the same again won't help. */
export class Refused extends Error {}

export class Parts {
  /**
   * @param {object} options
   * @param {File} options.file
   * @param {string} options.url where uploads begin
   * @param {string} options.token against forgery
   * @param {(sent: number, all: number) => void} options.advance hears how many bytes have come
   * @param {(isAway: boolean) => void} options.wait hears when the network is away, and when it is back
   */
  constructor({ file, url, token, advance, wait }) {
    this.file = file;
    this.url = url;
    this.token = token;
    this.advance = advance;
    this.wait = wait;
    this.isStopped = false;
    this.memory = `upload:${url}:${file.name}:${file.size}:${file.lastModified}`;
  }

  /** Send everything that is missing; returns the key of the whole file. */
  async send() {
    let state = await this.begun();
    this.state = state;
    while (!state.is_whole) {
      for (const target of state.next) await this.put(state, target);
      state = state.next.length ? await this.ask("GET", state.url) : await this.ask("POST", `${state.url}whole/`);
      this.state = state;
    }
    localStorage.removeItem(this.memory);
    return state.key;
  }

  /** Give the upload up, here and on the server. */
  async stop() {
    this.isStopped = true;
    localStorage.removeItem(this.memory);
    if (this.state) await fetch(this.state.url, { method: "DELETE", headers: this.headers }).catch(() => undefined);
  }

  /** Find the upload of this very file that was begun before, or begin one. @returns {Promise<State>} */
  async begun() {
    const known = localStorage.getItem(this.memory);
    if (known) {
      const state = await this.ask("GET", known).catch(() => null);
      if (state?.bytes === this.file.size) return state;
    }
    const state = await this.ask("POST", this.url, JSON.stringify({ name: this.file.name, bytes: this.file.size }));
    localStorage.setItem(this.memory, state.url);
    return state;
  }

  /** @param {State} state @param {Target} target */
  async put(state, { number, url }) {
    const first = (number - 1) * state.part_bytes;
    const part = this.file.slice(first, first + state.part_bytes);
    // The store is told nothing of who is logged in here.
    /** @type {RequestInit} */
    const options = state.is_direct ? { credentials: "omit" } : { headers: this.headers };
    await this.insist(() => fetch(url, { method: "PUT", body: part, ...options }));
    this.advance(first + part.size, this.file.size);
  }

  /** @param {string} method @param {string} url @param {string} [body] @returns {Promise<State>} */
  async ask(method, url, body) {
    const headers = { ...this.headers, Accept: "application/json", "Content-Type": "application/json" };
    return (await this.insist(() => fetch(url, { method, headers, body }))).json();
  }

  /** Try until there is an answer that counts. @param {() => Promise<Response>} attempt */
  async insist(attempt) {
    for (let failures = 0; ; failures += 1) {
      if (this.isStopped) throw new Refused("");
      const answer = await attempt().catch(() => null);
      if (answer?.ok && !answer.redirected) {
        if (failures) this.wait(false);
        return answer;
      }
      if (answer && answer.status < 500 && answer.status !== 429) throw new Refused(await this.reason(answer));
      this.wait(true);
      await new Promise((done) => setTimeout(done, 1000 * Math.min(LONGEST, 2 ** failures)));
    }
  }

  /** @param {Response} answer */
  async reason(answer) {
    const said = await answer.json().catch(() => ({}));
    return said.message ?? "";
  }

  get headers() {
    return { "X-CSRFToken": this.token };
  }
}
