import { part } from "../rater/texts.js";
import { ClipPlayer } from "./player.js";
import { Desk } from "./review.js";

/**
 * The spot check before a launch: a clip and its text, or several takes of one text; the queue is that of the review.
 *
 * @typedef {{url: string, seconds: number, text: string, language: string}} Clip
 * @typedef {{key: string, kind: string, clips: Clip[], decisions: {decision: string, note: string}[]}} Item
 */

export class SpotDesk extends Desk {
  /** The buttons of the form that is shown, in the order of their keys. */
  get choices() {
    return /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll("[data-form]:not([hidden]) [data-decision]")]);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key means something here */
  key(event) {
    const choice = this.choices[Number(event.key) - 1];
    const player = this.players.length > 1 ? this.players["abcdefgh".indexOf(event.key.toLowerCase())] : undefined;
    if (choice && this.item) void this.decide(choice.dataset.decision ?? "");
    else if (player) player.toggle();
    else if (!/^\d$/.test(event.key)) return super.key(event);
    return true;
  }

  /** @param {Item} item */
  fill(item) {
    const isOne = item.clips.length === 1;
    this.players = item.clips.map(() => ClipPlayer.make(this.sounds, this.texts));
    part(this.root, "[data-part=clips]").replaceChildren(...this.players.map((player) => player.root));
    this.players.forEach((player, index) => {
      const letter = String.fromCharCode(65 + index);
      player.addEventListener("starting", () => this.players.forEach((other) => other !== player && other.pause()));
      player.addEventListener("failed", () => this.say("clip_failed"));
      if (!isOne) part(player.root, "kbd").textContent = letter;
      void player.show(item.clips[index], isOne ? "" : this.texts.get("clip", { letter }));
    });
    for (const form of this.root.querySelectorAll("[data-form]")) {
      /** @type {HTMLElement} */ (form).hidden = /** @type {HTMLElement} */ (form).dataset.form !== item.kind;
    }
    part(this.root, "#question").textContent = this.texts.get(`question_${item.kind}`);
    part(this.root, "[data-part=advice]").textContent = this.texts.get(`advice_${item.kind}`);
    const { text, language } = item.clips[0];
    const shown = part(this.root, "[data-part=text]");
    shown.textContent = text;
    if (language) shown.lang = language;
    else shown.removeAttribute("lang");
    part(this.root, "[data-part=language]").textContent = language;
    part(this.root, "[data-part=text-row]").hidden = !text;
    part(this.root, "[data-part=language-row]").hidden = !language;
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
    if (!item) return;
    const note = this.note.value;
    if (decision === "other" && !note.trim()) {
      this.note.focus();
      return this.say("note_wanted");
    }
    this.gone.add(item.key);
    this.last = item.key;
    this.next();
    this.say("saving");
    const reply = await this.sender.post(`${this.api}decide/${item.key}`, { decision, note });
    if (reply.status === 200) {
      this.say("saved", { decision: this.texts.get(decision) });
      this.take({ ...reply.body, last: undefined });
    } else {
      if (this.last === item.key) this.last = "";
      await this.refuse(reply);
    }
  }
}

const root = document.getElementById("spot-check");
if (root) new SpotDesk(root, JSON.parse(part(document, "#state").textContent ?? "{}"));
