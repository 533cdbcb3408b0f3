// Sends the chosen files before the form, in parts, with a bar, the file that is being sent and the time that is left.

import { part } from "../rater/page.js";
import { Parts, Refused, Unreadable } from "./parts.js";

/** @typedef {import("./parts.js").Named} Named */

const language = document.documentElement.lang || "en";
const number = new Intl.NumberFormat(language);
const megabytes = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

export class Sending {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.box = part(form, "[data-sending]");
    this.bar = part(this.box, "progress", HTMLProgressElement);
    this.count = part(this.box, "output", HTMLOutputElement);
    this.button = part(this.box, "button", HTMLButtonElement);
    this.note = part(this.box, "[data-note]");
    this.submit = part(form, "[type=submit]", HTMLInputElement);
    this.texts = /** @type {Record<string, string>} */ (this.box.dataset);
  }

  /** Send files; returns their key, or an empty string when they were not sent, and says why. @param {Named[]} files */
  async send(files) {
    const ends = ends_of(files);
    const token = part(this.form, "[name=csrfmiddlewaretoken]", HTMLInputElement);
    const began = { at: performance.now(), sent: -1 };
    const parts = new Parts({
      files,
      url: this.form.dataset.uploads ?? "",
      token: token.value,
      advance: (sent) => {
        // What had come before isn't part of the speed.
        if (began.sent < 0) Object.assign(began, { sent, at: performance.now() });
        this.advance(files, ends, sent, ((performance.now() - began.at) / 1000) * ((ends.at(-1) ?? 0) - sent) / (sent - began.sent));
      },
      wait: (pause, message) => {
        this.note.textContent = pause ? message || this.texts[pause] : "";
      },
    });
    const leaving = (/** @type {Event} */ leave) => leave.preventDefault();
    const stop = () => parts.stop();
    this.show(true);
    addEventListener("beforeunload", leaving);
    this.button.addEventListener("click", stop);
    try {
      const key = await parts.send();
      // Another one after a new sign-in.
      token.value = parts.token;
      return key;
    } catch (error) {
      this.show(false);
      const refusal = error instanceof Unreadable ? this.texts.unreadable : error instanceof Refused ? error.message : "";
      this.note.textContent = parts.isStopped ? this.texts.stopped : refusal || this.texts.failed;
      this.submit.focus();
      return "";
    } finally {
      removeEventListener("beforeunload", leaving);
      this.button.removeEventListener("click", stop);
    }
  }

  /** @param {Named[]} files @param {number[]} ends @param {number} sent @param {number} left seconds */
  advance(files, ends, sent, left) {
    const all = ends.at(-1) ?? 0;
    const whole = ends.findIndex((end) => end > sent);
    this.bar.value = all ? (100 * sent) / all : 0;
    const said = [`${megabytes.format(sent / 2 ** 20)} / ${megabytes.format(all / 2 ** 20)} MB`];
    if (files.length > 1) {
      const done = whole < 0 ? files.length : whole;
      said.push(this.texts.files.replace("{done}", number.format(done)).replace("{all}", number.format(files.length)));
    }
    if (Number.isFinite(left) && left > 1) said.push(this.texts.left.replace("{time}", spelled(left)));
    this.count.value = said.join(" · ");
  }

  /** @param {boolean} isSending */
  show(isSending) {
    this.box.hidden = false;
    for (const each of [this.bar, this.count, this.button, part(this.box, "label")]) each.hidden = !isSending;
    this.note.textContent = "";
    this.bar.value = 0;
    this.count.value = "";
    this.submit.disabled = isSending;
    if (isSending) this.button.focus();
  }
}

/** The number of bytes up to the end of each file. @param {Named[]} files */
function ends_of(files) {
  let end = 0;
  return files.map(({ file }) => (end += file.size));
}

/** A time in the page's language, in seconds or minutes. @param {number} seconds */
function spelled(seconds) {
  const [value, unit] = seconds < 90 ? [seconds, "second"] : [seconds / 60, "minute"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }).format(value);
}
