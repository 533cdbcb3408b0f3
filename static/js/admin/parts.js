/**
 * Sends files in parts, each to the address that the server names for it, and goes on where it stopped. The bytes of all files follow one
 * another, so that many small files share a part.
 *
 * @typedef {object} Named @property {string} name path with slashes @property {File} file
 * @typedef {object} Target @property {number} number counted from 1 @property {string} url
 * @typedef {object} State what the server knows of an upload
 * @property {string} key @property {string} url @property {number} bytes @property {number} part_bytes
 * @property {number} parts @property {number} missing @property {boolean} is_whole @property {boolean} is_direct
 * @property {Target[]} next
 * @typedef {"" | "away" | "signedOut"} Pause why nothing is sent at the moment
 */

import { freshToken, isSignedOut } from "../forms/signed_out.js";

const LONGEST = 15;

/** The server has said no, and saying the same again won't help. */
export class Refused extends Error {}

/** A file was changed, moved or deleted since it was chosen. */
export class Unreadable extends Error {}

export class Parts {
  /**
   * @param {object} options
   * @param {Named[]} options.files
   * @param {string} options.url where uploads begin
   * @param {string} options.token against forgery
   * @param {(sent: number) => void} options.advance hears how many bytes have come
   * @param {(pause: Pause, message: string) => void} options.wait hears why it waits, and when it goes on
   */
  constructor({ files, url, token, advance, wait }) {
    this.files = files;
    // References to the files: nothing is read yet.
    this.whole = new Blob(files.map(({ file }) => file));
    this.url = url;
    this.token = token;
    this.advance = advance;
    this.wait = wait;
    this.isStopped = false;
  }

  /** Send everything that is missing; returns the key of the upload. */
  async send() {
    const listing = JSON.stringify(this.files.map(({ name, file }) => [name, file.size, file.lastModified]));
    const body = new FormData();
    body.append("files", new Blob([listing], { type: "application/json" }), "files.json");
    let state = await this.ask("POST", this.url, body);
    this.state = state;
    for (let vain = 0; !state.is_whole; ) {
      const before = state.missing;
      this.advance(Math.max(0, state.bytes - state.missing * state.part_bytes));
      for (const target of state.next) await this.put(state, target);
      state = state.next.length ? await this.ask("GET", state.url) : await this.ask("POST", `${state.url}whole/`);
      this.state = state;
      // A bucket refuses an address that is an hour old; the server names new ones.
      vain = state.missing < before ? 0 : vain + 1;
      if (vain > 2 && !state.is_whole) throw new Refused("");
    }
    return state.key;
  }

  /** Give the upload up, here and on the server. */
  async stop() {
    this.isStopped = true;
    if (this.state) await fetch(this.state.url, { method: "DELETE", headers: this.headers }).catch(() => undefined);
  }

  /** @param {State} state @param {Target} target */
  async put(state, { number, url }) {
    const first = (number - 1) * state.part_bytes;
    const part = this.whole.slice(first, first + state.part_bytes);
    const content = await part.arrayBuffer().catch(() => {
      throw new Unreadable();
    });
    // The store is told nothing of who is logged in here.
    const attempt = () => fetch(url, { method: "PUT", body: content, ...(state.is_direct ? { credentials: "omit" } : { headers: this.headers }) });
    try {
      await this.insist(attempt);
    } catch (error) {
      if (state.is_direct && error instanceof Refused && !this.isStopped) return;
      throw error;
    }
    this.advance(first + content.byteLength);
  }

  /** @param {string} method @param {string} url @param {FormData} [body] @returns {Promise<State>} */
  async ask(method, url, body) {
    return (await this.insist(() => fetch(url, { method, headers: { ...this.headers, Accept: "application/json" }, body }))).json();
  }

  /** Try until there is an answer that counts. @param {() => Promise<Response>} attempt */
  async insist(attempt) {
    for (let failures = 0; ; failures += 1) {
      if (this.isStopped) throw new Refused("");
      const answer = await attempt().catch(() => null);
      if (answer?.ok && !answer.redirected) {
        if (failures) this.wait("", "");
        return answer;
      }
      const message = answer ? await reason(answer) : "";
      if (answer && isSignedOut(answer, message)) {
        this.wait("signedOut", "");
        await this.renew();
      } else if (answer && answer.status < 500 && answer.status !== 429) throw new Refused(message);
      else this.wait("away", message);
      await new Promise((done) => setTimeout(done, 1000 * Math.min(LONGEST, 2 ** failures)));
    }
  }

  /** Whoever signs in again gets another token. */
  async renew() {
    this.token = (await freshToken()) || this.token;
  }

  get headers() {
    return { "X-CSRFToken": this.token };
  }
}

/** @param {Response} answer */
async function reason(answer) {
  const said = await answer.json().catch(() => ({}));
  return said.message ?? "";
}
