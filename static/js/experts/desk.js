import { Sounds, call } from "../rater/network.js";
import { Shortcuts, Texts, part, parts } from "../rater/page.js";
import { ClipPlayer } from "./player.js";
import { Sender } from "./sender.js";

/**
 * One item at a time for an expert: the next one is shown before the last decision has reached the server.
 *
 * @typedef {{url: string, seconds: number, text: string, language: string, letter: string}} Clip
 * @typedef {{key: string, clips: Clip[]}} Item what every kind of work has
 * @typedef {{decision: string, note: string}} Said
 * @typedef {{total: number, done: number, waiting: number, mine: number, today: number, seconds: number | null, is_more: boolean}} Progress
 * @typedef {{items: any[], progress: Progress, is_filling: boolean, waits_since: string, last?: string, back?: string}} State
 */

// Refusals of one item; after them the queue goes on.
const OVER = new Set(["lost", "decided", "withdrawn", "already_decided", "adjudicated", "already_revoked"]);

// While a worker adds items, an empty page asks for them this often.
const LOOK_AGAIN_MS = 3000;

export class Desk {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    this.texts = new Texts(document.querySelectorAll("template#texts, template#player-texts"));
    this.sounds = new Sounds();
    this.sender = new Sender((mood) => this.say(mood));
    this.note = part(root, "#note", HTMLTextAreaElement);
    /** @type {any} */
    this.item = null;
    /** @type {any[]} */
    this.ahead = [];
    /** @type {ClipPlayer[]} */
    this.players = [];
    /** @type {string[]} names of the players, as raters saw them */
    this.letters = [];
    // How many answers to "what comes next" are on the way: until then, nothing is finished.
    this.asking = 0;
    /** @type {Map<string, object>} what was begun with items that are not decided yet */
    this.drafts = new Map();
    // Keys that were sent away and must not come back with a reply that was on its way.
    this.gone = new Set();
    this.last = "";
    this.isUndoing = false;
    this.isFilling = false;
    // Since when answers have waited for a worker, where that is longer than usual.
    this.waitsSince = "";
    this.timer = 0;
    const actions = { undo: () => this.undo(), skip: () => this.skip(), again: () => location.reload() };
    for (const [name, action] of Object.entries(actions)) {
      for (const button of root.querySelectorAll(`[data-do=${name}]`)) button.addEventListener("click", action);
    }
    this.note.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.focus();
    });
    const box = part(root, "#shortcuts", HTMLInputElement);
    new Shortcuts(box, root, { play: () => this.players[0]?.toggle(), save: () => this.save(), key: (event) => this.key(event) });
  }

  /** Show an item. @param {any} item */
  fill(item) {
    throw new Error(`A desk shows its items: ${item.key}.`);
  }

  /** Ctrl+Enter. */
  save() {
    this.focus();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key means something here */
  key(event) {
    const name = event.key.toLowerCase();
    const player = this.players.length > 1 ? this.players[this.letters.indexOf(name.toUpperCase())] : undefined;
    if (player) player.toggle();
    else if (name === "n" && this.item) this.note.focus();
    else if (name === "u") void this.undo();
    else if (name === "s" && this.item) void this.skip();
    else return false;
    return true;
  }

  /** Return what was begun with the item and would be lost. @returns {any} */
  draft() {
    return { note: this.note.value };
  }

  /** Take up what was begun before. @param {any} draft */
  resume(draft) {
    this.note.value = draft?.note ?? "";
  }

  /** Show what comes next, or that nothing does. */
  next() {
    if (this.item && !this.gone.has(this.item.key)) this.drafts.set(this.item.key, this.draft());
    this.item = this.ahead.shift() ?? null;
    for (const player of this.players) player.stop();
    this.players = [];
    if (this.item) this.fill(this.item);
    this.resume(this.drafts.get(this.item?.key ?? ""));
    if (this.item) this.show("item");
    else this.show(this.sender.waiting + this.asking > 0 ? "loading" : "finished");
    this.listenAhead();
  }

  /** Load the clips of the item shown, then those of the items after it. */
  listenAhead() {
    this.sounds.want(this.item?.clips ?? [], this.ahead.flatMap((item) => item.clips));
  }

  /** Make a player for each clip. @param {Clip[]} clips */
  load(clips) {
    this.players = clips.map(() => ClipPlayer.make(this.sounds, this.texts));
    this.letters = clips.map(({ letter }) => letter);
    part(this.root, "[data-part=clips]").replaceChildren(...this.players.map((player) => player.root));
    this.players.forEach((player, index) => {
      const letter = this.letters[index];
      player.addEventListener("starting", () => this.players.forEach((other) => other !== player && other.pause()));
      player.addEventListener("failed", () => this.say("clip_failed"));
      if (clips.length > 1) part(player.root, "kbd").textContent = letter;
      void player.show(clips[index], clips.length > 1 ? this.texts.get("clip", { letter }) : "");
    });
  }

  /** Show what is said in the clips, in its own language. @param {Clip[]} clips */
  tellText(clips) {
    const texts = [...new Set(clips.map((clip) => clip.text).filter(Boolean))];
    const language = clips.find((clip) => clip.language)?.language;
    const text = part(this.root, "[data-part=text]");
    text.textContent = texts.join("\n");
    if (language) text.lang = language;
    else text.removeAttribute("lang");
    part(this.root, "[data-part=text-row]").hidden = texts.length === 0;
  }

  /** Show what was answered. @param {{clip: string, label: string}[]} answers */
  tellLabels(answers) {
    const labels = answers.map(({ clip, label }) => (clip ? this.texts.get("label", { letter: clip, label }) : label));
    part(this.root, "[data-part=labels]").textContent = labels.join(" · ");
  }

  /** Show what others decided, where they differ. @param {Said[]} decisions */
  tellDecisions(decisions) {
    part(this.root, "[data-part=disputed]").hidden = part(this.root, "[data-part=decisions]").hidden = decisions.length === 0;
    part(this.root, "[data-part=decision-list]").replaceChildren(
      ...decisions.map(({ decision, note }) => {
        const line = document.createElement("li");
        const said = this.texts.get(decision);
        line.textContent = note ? this.texts.get("with_note", { decision: said, note }) : said;
        return line;
      }),
    );
  }

  /**
   * Send a decision on the item, and show the next one meanwhile.
   * @param {object} body
   * @param {string} said the decision in words
   */
  async send(body, said) {
    const { item } = this;
    this.gone.add(item.key);
    this.last = item.key;
    this.next();
    this.say("saving");
    const reply = await this.sender.post(`${this.api}decide/${item.key}`, body);
    if (reply.status === 200) {
      this.stored(reply.body, said);
      this.take({ ...reply.body, last: undefined });
    } else {
      if (this.last === item.key) this.last = "";
      await this.refuse(reply);
    }
  }

  /** Tell that a decision is stored. @param {any} body @param {string} decision */
  stored(body, decision) {
    this.say("saved", { decision });
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
      this.taken(reply.body);
      const item = reply.body.items.find((/** @type {Item} */ each) => each.key === back);
      this.ahead = this.item ? [item, this.item, ...this.ahead] : [item, ...this.ahead];
      if (this.item) this.next();
    }
    this.take(reply.body);
    this.say(back ? "undone" : "undone_elsewhere");
  }

  /** Hear what a decision was that is taken back and decided anew. @param {any} body */
  taken(body) {
    void body;
  }

  /** Take in what the server says comes next. @param {State} state */
  take({ items, progress, is_filling, waits_since, last }) {
    const known = new Set([this.item?.key, ...this.ahead.map((item) => item.key)]);
    this.ahead.push(...items.filter((item) => !known.has(item.key) && !this.gone.has(item.key)));
    if (last !== undefined) this.last = last;
    this.listenAhead();
    this.progress = progress;
    this.isFilling = is_filling;
    this.waitsSince = waits_since;
    this.count(progress);
    if (!this.item && this.root.dataset.state !== "stopped") this.next();
  }

  /** @param {Progress} progress */
  count({ total, done, waiting, today, seconds, is_more }) {
    const left = total - done;
    const values = { total, done, left, today, seconds: Math.round(seconds ?? 0), minutes: Math.max(1, Math.round((waiting * (seconds ?? 0)) / 60)) };
    const name = is_more ? "many" : seconds !== null && waiting > 0 ? "pace" : "progress";
    part(this.root, "#progress").textContent = this.texts.get(name, values);
    const bar = part(this.root, "#sofar", HTMLProgressElement);
    // Nobody knows which part of the whole is done.
    bar.hidden = is_more;
    bar.max = Math.max(1, total);
    bar.value = done;
  }

  /** @param {import("./sender.js").Reply} reply */
  async refuse(reply) {
    const message = String(reply.body?.message ?? "");
    part(this.root, "#status").textContent = message;
    if (OVER.has(reply.body?.error)) {
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
    for (const panel of parts(this.root, "[data-panel]")) panel.hidden = panel.dataset.panel !== state;
    if (state === "finished") this.explain();
    this.focus();
  }

  /** Say why there is no item, and look again while a worker adds some. */
  explain() {
    const { mine = 0 } = this.progress ?? {};
    const why = this.waitsSince ? "waits" : this.isFilling ? "filling" : mine ? "finished" : "empty";
    const since = this.waitsSince && new Date(this.waitsSince).toLocaleString(document.documentElement.lang);
    part(this.root, "[data-part=finished-why]").textContent = this.texts.get(why, { mine, since });
    const link = this.root.querySelector("[data-part=status-link]");
    if (link instanceof HTMLElement) link.hidden = !this.waitsSince;
    clearTimeout(this.timer);
    if (this.isFilling) this.timer = setTimeout(() => void this.look(), LOOK_AGAIN_MS);
  }

  /** Ask whether there are items by now; the focus stays where it is as long as there are none. */
  async look() {
    const fresh = (await call(`${this.api}current`))?.body;
    if (this.root.dataset.state !== "finished") return;
    if (fresh?.items?.length) return this.take(fresh);
    this.isFilling = fresh?.is_filling ?? this.isFilling;
    this.waitsSince = fresh?.waits_since ?? this.waitsSince;
    this.explain();
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

/**
 * Open the desk that stands on this page.
 * @param {typeof Desk} kind
 * @param {string} id
 */
export function open(kind, id) {
  new kind(part(document, `#${id}`)).take(JSON.parse(part(document, "#state").textContent ?? "{}"));
}
