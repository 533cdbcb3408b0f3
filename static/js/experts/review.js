import { call } from "../rater/outbox.js";
import { Shortcuts } from "../rater/shortcuts.js";
import { Sounds } from "../rater/sound.js";
import { Texts, part } from "../rater/texts.js";
import { ClipPlayer } from "./player.js";
import { Sender } from "./sender.js";

/**
 * The justification review: the next item is shown before the last decision has reached the server.
 *
 * @typedef {{url: string, seconds: number, text: string, language: string}} Clip
 * @typedef {{key: string, answers: {clip: string, label: string}[], reason: string, clips: Clip[],
 *            decisions: {decision: string, note: string}[]}} Item
 * @typedef {{total: number, done: number, waiting: number, mine: number, today: number, seconds: number | null}} Progress
 * @typedef {{items: Item[], progress: Progress, last?: string, back?: string, flags?: string[]}} State
 */

const DECISIONS = ["consistent", "inconsistent", "cannot_tell"];
// Refusals of one item; after them the queue goes on.
const OVER = new Set(["lost", "decided", "withdrawn", "already_decided"]);

export class Desk {
  /** @param {HTMLElement} root @param {State} state */
  constructor(root, state) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    this.texts = new Texts(document.querySelectorAll("template#texts, template#player-texts"));
    this.sounds = new Sounds();
    this.sender = new Sender((mood) => this.say(mood));
    this.note = /** @type {HTMLTextAreaElement} */ (part(root, "#note"));
    /** @type {Item | null} */
    this.item = null;
    /** @type {Item[]} */
    this.ahead = [];
    /** @type {ClipPlayer[]} */
    this.players = [];
    // How many answers to "what comes next" are on the way: until then, nothing is finished.
    this.asking = 0;
    /** @type {Map<string, string>} what was written about items that are not decided yet */
    this.notes = new Map();
    // Keys that were sent away and must not come back with a reply that was on its way.
    this.gone = new Set();
    this.last = state.last ?? "";
    this.isUndoing = false;
    for (const button of root.querySelectorAll("[data-decision]")) {
      button.addEventListener("click", () => this.decide(/** @type {HTMLElement} */ (button).dataset.decision ?? ""));
    }
    const actions = { undo: () => this.undo(), skip: () => this.skip(), again: () => this.again() };
    for (const [name, action] of Object.entries(actions)) {
      for (const button of root.querySelectorAll(`[data-do=${name}]`)) button.addEventListener("click", action);
    }
    this.note.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.focus();
    });
    const box = /** @type {HTMLInputElement} */ (part(root, "#shortcuts"));
    new Shortcuts(box, root, { play: () => this.players[0]?.toggle(), save: () => this.focus(), key: (event) => this.key(event) });
    this.take(state);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key means something here */
  key(event) {
    const index = ["1", "2", "3"].indexOf(event.key);
    const name = event.key.toLowerCase();
    if (index >= 0 && this.item) this.decide(DECISIONS[index]);
    else if (name === "n" && this.item) this.note.focus();
    else if (name === "u") void this.undo();
    else if (name === "s" && this.item) void this.skip();
    else return false;
    return true;
  }

  /** Show what comes next, or that nothing does. */
  next() {
    if (this.item && !this.gone.has(this.item.key)) this.notes.set(this.item.key, this.note.value);
    this.item = this.ahead.shift() ?? null;
    this.note.value = this.notes.get(this.item?.key ?? "") ?? "";
    for (const player of this.players) player.stop();
    this.players = [];
    if (!this.item && this.sender.waiting + this.asking > 0) this.show("loading");
    else if (!this.item) this.show("finished");
    else {
      this.fill(this.item);
      this.show("item");
    }
    for (const item of this.ahead) this.sounds.prefetch(item.clips);
  }

  /** @param {Item} item */
  fill(item) {
    const place = part(this.root, "[data-part=clips]");
    this.players = item.clips.map(() => ClipPlayer.make(this.sounds, this.texts));
    place.replaceChildren(...this.players.map((player) => player.root));
    this.players.forEach((player, index) => {
      player.addEventListener("starting", () => this.players.forEach((other) => other !== player && other.pause()));
      player.addEventListener("failed", () => this.say("clip_failed"));
      const name = item.clips.length > 1 ? this.texts.get("clip", { letter: letter(index) }) : "";
      void player.show(item.clips[index], name);
    });
    const labels = item.answers.map(({ clip, label }) => (clip ? this.texts.get("label", { letter: clip, label }) : label));
    part(this.root, "[data-part=labels]").textContent = labels.join(" · ");
    part(this.root, "[data-part=reason]").textContent = item.reason;
    const texts = [...new Set(item.clips.map((clip) => clip.text).filter(Boolean))];
    const text = part(this.root, "[data-part=text]");
    text.textContent = texts.join("\n");
    const language = item.clips.find((clip) => clip.language)?.language;
    if (language) text.lang = language;
    else text.removeAttribute("lang");
    part(this.root, "[data-part=text-row]").hidden = texts.length === 0;
    part(this.root, "[data-part=disputed]").hidden = part(this.root, "[data-part=decisions]").hidden = item.decisions.length === 0;
    part(this.root, "[data-part=decision-list]").replaceChildren(
      ...item.decisions.map(({ decision, note }) => {
        const line = document.createElement("li");
        const said = this.texts.get(decision);
        line.textContent = note ? this.texts.get("with_note", { decision: said, note }) : said;
        return line;
      }),
    );
  }

  /** @param {string} decision */
  async decide(decision) {
    const { item } = this;
    if (!item || !DECISIONS.includes(decision)) return;
    const note = this.note.value;
    this.gone.add(item.key);
    this.last = item.key;
    this.next();
    this.say("saving");
    const reply = await this.sender.post(`${this.api}decide/${item.key}`, { decision, note });
    if (reply.status === 200) {
      const flags = reply.body.flags.join(", ");
      this.say(flags ? "flagged" : "saved", { decision: this.texts.get(decision), flags });
      this.take({ ...reply.body, last: undefined });
    } else {
      if (this.last === item.key) this.last = "";
      await this.refuse(reply);
    }
  }

  async skip() {
    const { item } = this;
    if (!item) return;
    this.gone.add(item.key);
    this.next();
    const reply = await this.sender.post(`${this.api}skip/${item.key}`, {});
    if (reply.status === 200) {
      this.say("skipped");
      this.take(reply.body);
    } else await this.refuse(reply);
  }

  async undo() {
    const key = this.last;
    if (!key) return this.say("nothing_to_undo");
    if (this.isUndoing) return;
    this.isUndoing = true;
    const reply = await this.sender.post(`${this.api}undo/${key}`, {});
    this.isUndoing = false;
    if (reply.status !== 200) return this.refuse(reply);
    const { back } = reply.body;
    if (back) {
      const item = reply.body.items.find((/** @type {Item} */ each) => each.key === back);
      this.ahead = this.item ? [item, this.item, ...this.ahead] : [item, ...this.ahead];
      if (this.item) this.next();
    }
    this.take(reply.body);
    this.say(back ? "undone" : "undone_elsewhere");
  }

  again() {
    location.reload();
  }

  /** Take in what the server says comes next. @param {State} state */
  take({ items, progress, last }) {
    const known = new Set([this.item?.key, ...this.ahead.map((item) => item.key)]);
    this.ahead.push(...items.filter((item) => !known.has(item.key) && !this.gone.has(item.key)));
    if (last !== undefined) this.last = last;
    for (const item of this.ahead) this.sounds.prefetch(item.clips);
    this.progress = progress;
    this.count(progress);
    if (!this.item && this.root.dataset.state !== "stopped") this.next();
  }

  /** @param {Progress} progress */
  count({ total, done, waiting, today, seconds }) {
    const values = { total, done, today, seconds: Math.round(seconds ?? 0), minutes: Math.max(1, Math.round((waiting * (seconds ?? 0)) / 60)) };
    part(this.root, "#progress").textContent = this.texts.get(seconds !== null && waiting > 0 ? "pace" : "progress", values);
    const bar = /** @type {HTMLProgressElement} */ (part(this.root, "#sofar"));
    bar.max = Math.max(1, total);
    bar.value = done;
  }

  /** @param {import("./sender.js").Reply} reply */
  async refuse(reply) {
    const message = String(reply.body?.message ?? "");
    part(this.root, "#status").textContent = message;
    if (OVER.has(reply.body?.error) || ["adjudicated", "already_revoked"].includes(reply.body?.error)) {
      this.asking += 1;
      const fresh = (await call(`${this.api}current`))?.body;
      this.asking -= 1;
      if (fresh?.items) {
        // What is held no longer must not be offered from this page's own memory.
        const held = new Set(fresh.items.map((/** @type {Item} */ item) => item.key));
        this.ahead = this.ahead.filter((item) => held.has(item.key));
        if (this.item && !held.has(this.item.key)) this.item = null;
        this.take(fresh);
      } else if (!this.item) this.next();
    } else {
      part(this.root, "#status").textContent = "";
      part(this.root, "[data-part=stopped-why]").textContent = message;
      for (const player of this.players) player.stop();
      this.show("stopped");
    }
  }

  /** @param {"loading" | "item" | "finished" | "stopped"} state */
  show(state) {
    this.root.dataset.state = state;
    for (const panel of this.root.querySelectorAll("[data-panel]")) {
      /** @type {HTMLElement} */ (panel).hidden = /** @type {HTMLElement} */ (panel).dataset.panel !== state;
    }
    if (state === "finished") {
      const { mine = 0 } = this.progress ?? {};
      part(this.root, "[data-part=finished-why]").textContent = this.texts.get(mine ? "finished" : "empty", { mine });
    }
    this.focus();
  }

  /** Put the focus where single keys work and nothing is pressed by accident. */
  focus() {
    const panel = this.root.querySelector("[data-panel]:not([hidden])");
    if (panel instanceof HTMLElement) panel.focus({ preventScroll: true });
  }

  /** @param {string} name @param {Record<string, string>} [values] */
  say(name, values) {
    part(this.root, "#status").textContent = this.texts.get(name, values);
  }
}

/** @param {number} index */
function letter(index) {
  return String.fromCharCode(65 + index);
}

const root = document.getElementById("review");
if (root) new Desk(root, JSON.parse(part(document, "#state").textContent ?? "{}"));
