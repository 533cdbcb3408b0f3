/**
 * The columns of a table that came along: what each means, with values of it.
 *
 * @typedef {Record<string, string>} Row values by column of a manifest
 * @typedef {object} Proposal
 * @property {Row[]} rows @property {Record<string, string>} mapping @property {string[]} left_out @property {string[]} missing
 * @property {Record<string, string>} hints files that may be meant by missing ones
 * @property {Record<string, Row>} offers rows of missing and left-out files, if they are used all the same
 * @property {Record<string, string[]>} examples values of each column of the table
 * @property {Record<string, string>} suggestions what ignored columns may mean
 * @property {{ layout: string, example: Row }[]} readings two, if the names can be read in two ways
 * @property {string} layout how the names are read, such as system/speaker_text
 * @property {{ example: string, values: number, meaning: string }[]} parts those of the layout, in its order
 * @property {Record<string, string>} columns of a manifest, with their words
 * @property {Record<string, string>} roles with their words @property {Record<string, string>} meanings of parts, with their words
 */

import { part, parts } from "../rater/page.js";

/** A column that is kept without a meaning. */
const EXTRA = "x_";

export class Columns {
  /** @param {HTMLElement} box @param {() => void} changed asks for the table again */
  constructor(box, changed) {
    this.box = box;
    this.texts = /** @type {Record<string, string>} */ (box.dataset);
    this.changed = changed;
    box.addEventListener("change", changed);
  }

  /** What the columns were chosen to mean, by their names. */
  get chosen() {
    return Object.fromEntries(parts(this.box, "select", HTMLSelectElement).map((field) => [field.dataset.name, field.value]));
  }

  /** @param {Proposal} proposal @param {string} source */
  show(proposal, source) {
    const names = Object.keys(proposal.mapping);
    this.box.hidden = !names.length;
    part(this.box, "summary").textContent = this.texts.title.replace("{name}", source);
    part(this.box, "tbody").replaceChildren(...names.map((name) => this.line(proposal, name)));
  }

  /** @param {Proposal} proposal @param {string} name */
  line(proposal, name) {
    const line = document.createElement("tr");
    const [head, examples, meaning] = ["th", "td", "td"].map((tag) => document.createElement(tag));
    head.setAttribute("scope", "row");
    head.textContent = name;
    examples.textContent = (proposal.examples[name] ?? []).join(" · ");
    const column = proposal.mapping[name];
    const field = choice(
      { "": this.texts.ignored, [EXTRA]: this.texts.extra, ...proposal.columns },
      column.startsWith(EXTRA) ? EXTRA : column,
    );
    field.dataset.name = name;
    field.setAttribute("aria-label", this.texts.meaning.replace("{name}", name));
    meaning.append(field);
    const near = proposal.suggestions[name];
    if (near) {
      const button = document.createElement("button");
      const words = this.texts.meant.replace("{name}", proposal.columns[near]);
      Object.assign(button, { type: "button", className: "button secondary", textContent: words });
      button.addEventListener("click", () => {
        field.value = near;
        this.changed();
      });
      meaning.append(" ", button);
    }
    line.append(head, examples, meaning);
    return line;
  }
}

/** @param {Record<string, string>} words by value @param {string} [chosen] */
export function choice(words, chosen) {
  const field = document.createElement("select");
  for (const [value, word] of Object.entries(words)) field.append(new Option(word, value, false, value === chosen));
  return field;
}
