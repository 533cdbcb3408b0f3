import { call, isBusy, pause } from "../rater/network.js";

/**
 * Bring what an expert did to the server, one thing after the other, however long that takes.
 *
 * @typedef {import("../rater/network.js").Reply} Reply
 */

const LONGEST = 15;

export class Sender {
  /** @param {(mood: "offline" | "busy") => void} tell hears why something has to wait */
  constructor(tell) {
    this.tell = tell;
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve();
    this.waiting = 0;
    // Leaving the page would lose what is not sent yet: the browser asks first.
    addEventListener("beforeunload", (event) => this.waiting > 0 && event.preventDefault());
  }

  /**
   * Post after everything that was posted before, until the server has said yes or no.
   * @param {string} url
   * @param {object} body
   * @returns {Promise<Reply>}
   */
  post(url, body) {
    this.waiting += 1;
    const turn = this.last.then(() => this.insist(url, body));
    this.last = turn.finally(() => (this.waiting -= 1)).catch(() => undefined);
    return turn;
  }

  /** @param {string} url @param {object} body @returns {Promise<Reply>} */
  async insist(url, body) {
    for (let failures = 0; ; failures += 1) {
      const reply = await call(url, body);
      // A Wi-Fi portal answers everything with a page of its own: that is no answer of ours.
      const isOurs = reply !== null && (reply.status === 204 || (typeof reply.body === "object" && reply.body !== null));
      if (reply !== null && isOurs && !isBusy(reply)) return reply;
      const isOffline = reply === null || !isBusy(reply);
      this.tell(isOffline ? "offline" : "busy");
      await pause(reply?.wait ?? Math.min(LONGEST, 2 ** failures * (0.75 + Math.random() / 2)), isOffline);
    }
  }
}
