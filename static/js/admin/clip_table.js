/**
 * The table of clips that the server proposes, to be corrected before anything is sent: by groups, and row by row.
 *
 * @typedef {import("./table_columns.js").Row} Row
 * @typedef {import("./table_columns.js").Proposal} Proposal
 * @typedef {HTMLInputElement | HTMLSelectElement} Field
 */

import { part } from "../rater/page.js";
import { Listening } from "./listening.js";
import { problemRows } from "./problem_rows.js";
import { Columns, choice } from "./table_columns.js";

const AT_ONCE = 100;
const UNDOS = 20;
// Shown for each clip, if any clip has a value.
const SHOWN = ["system", "role", "text_id", "voice", "dimension", "language", "box", "text"];

export class ClipTable {
  /** @param {HTMLElement} box @param {(layout: string) => void} remap asks the server again with other columns, or a layout */
  constructor(box, remap) {
    this.box = box;
    this.texts = /** @type {Record<string, string>} */ (box.dataset);
    this.part = (/** @type {string} */ name) => part(box, `[data-part=${name}]`);
    /** @type {Proposal} */
    this.proposal = { rows: [], mapping: {}, left_out: [], missing: [], hints: {}, offers: {}, examples: {}, suggestions: {}, readings: [], layout: "", parts: [], columns: {}, roles: {}, meanings: {} };
    this.rows = this.proposal.rows;
    this.source = "";
    this.groups = grouped(this.rows);
    /** Rows that the manifest doesn't get. @type {Set<Row>} */
    this.leftOut = new Set();
    /** @type {{ row: Row, column: string, value: string }[][]} */
    this.history = [];
    this.columns = SHOWN;
    this.shown = AT_ONCE;
    this.number = new Intl.NumberFormat(document.documentElement.lang || "en");
    this.listening = new Listening(box.dataset);
    this.mapping = new Columns(this.part("mapping"), () => remap(""));
    this.remap = remap;
    this.part("undo").addEventListener("click", () => this.undo());
    this.part("more").addEventListener("click", () => this.showMore());
    box.addEventListener("change", ({ target }) => this.changed(target));
    box.addEventListener("keydown", (event) => {
      // Enter in a field would send the form.
      if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
        event.preventDefault();
        this.changed(event.target);
      }
    });
  }

  /** @param {Proposal} proposal @param {string} source the name of its table, if it has one */
  show(proposal, source) {
    this.listening.stop();
    this.proposal = proposal;
    this.source = source;
    this.rows = proposal.rows;
    this.groups = grouped(this.rows);
    this.leftOut.clear();
    this.history = [];
    this.shown = AT_ONCE;
    this.columns = SHOWN.filter((column) => column === "system" || this.rows.some((row) => row[column]));
    this.mapping.show(proposal, source);
    this.showParts();
    this.showNotes();
    part(this.box, "[data-part=all]", HTMLDetailsElement).open = proposal.missing.length > 0;
    this.render();
    this.box.hidden = false;
  }

  hide() {
    this.listening.stop();
    this.box.hidden = true;
    this.rows = [];
    this.part("groups").replaceChildren();
    this.showNumber();
  }

  get kept() {
    return this.rows.filter((row) => !this.leftOut.has(row));
  }

  /** Say on the button what it will do. */
  showNumber() {
    const button = part(this.box.closest("form") ?? this.box, "[type=submit]", HTMLInputElement);
    button.dataset.plain ??= button.value;
    const number = this.number.format(this.kept.length);
    button.value = this.rows.length ? (button.dataset.ofClips ?? "").replace("{number}", number) : button.dataset.plain;
    button.disabled = this.rows.length > 0 && !this.kept.length;
  }

  /** The manifest, as a file of the form. */
  get manifest() {
    const extra = new Set(this.rows.flatMap(Object.keys));
    const columns = [...new Set([...Object.keys(this.proposal.columns), ...extra])].filter((column) => this.kept.some((row) => row[column]));
    const cell = (/** @type {string} */ value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const lines = [columns, ...this.kept.map((row) => columns.map((column) => cell(row[column] ?? "")))];
    return new File([lines.map((line) => `${line.join(",")}\r\n`).join("")], "table.csv", { type: "text/csv" });
  }

  /** Let people say what each part of the names is; this changes all rows. */
  showParts() {
    const { parts: found, layout } = this.proposal;
    const meanings = found.map(({ meaning }) => meaning);
    const ask = (/** @type {string[]} */ words) => this.remap(layout.replace(/[a-z]+/g, () => words.shift() ?? "ignore"));
    const exchanged = (/** @type {string} */ one, /** @type {string} */ other) =>
      meanings.map((meaning) => (meaning === one ? other : meaning === other ? one : meaning));
    const menus = found.map(({ example, values, meaning }, index) => {
      const label = document.createElement("label");
      const field = choice(this.proposal.meanings, meaning);
      field.addEventListener("change", () => {
        // Only texts and ignored parts can be several.
        const isTaken = !["text", "ignore"].includes(field.value) && meanings.includes(field.value);
        ask(isTaken ? exchanged(field.value, meaning) : meanings.map((other, at) => (at === index ? field.value : other)));
      });
      label.append(`${example}${values > 1 ? ` … (${this.number.format(values)})` : ""} → `, field);
      return label;
    });
    const swap = document.createElement("button");
    Object.assign(swap, { type: "button", className: "button secondary", textContent: this.texts.swap });
    swap.hidden = !(meanings.includes("system") && meanings.includes("text"));
    swap.addEventListener("click", () => ask(exchanged("system", "text")));
    this.part("parts").hidden = !found.length;
    this.part("parts").replaceChildren(...menus, swap);
  }

  showNotes() {
    const { hints } = this.proposal;
    /** @type {[string, string[]][]} */
    const notes = [
      [this.texts.missing, this.proposal.missing.map((name) => (hints[name] ? `${name} → ${hints[name]}?` : name))],
      [this.texts.leftOut, this.proposal.left_out],
    ];
    this.part("notes").replaceChildren(
      ...notes
        .filter(([, files]) => files.length)
        .map(([text, files]) => {
          const line = document.createElement("li");
          const some = files.slice(0, 3).join(", ") + (files.length > 3 ? " …" : "");
          line.textContent = text.replace("{number}", this.number.format(files.length)).replace("{name}", this.source).replace("{files}", some);
          return line;
        }),
      ...this.proposal.readings.map(({ layout, example }) => {
        const line = document.createElement("li");
        const button = document.createElement("button");
        Object.assign(button, { type: "button", className: "button", textContent: layout });
        button.addEventListener("click", () => this.remap(layout));
        const said = this.texts.reading.replace("{file}", example.file).replace("{system}", example.system || "–");
        line.append(button, ` ${said.replace("{text}", example.text_id || "–")}`);
        return line;
      }),
    );
  }

  render() {
    this.part("groups").replaceChildren(
      ...this.groups.map((rows, index) => {
        const line = document.createElement("tr");
        const place = `group-${index}`;
        line.append(this.cell(rows[0], "system", place), this.cell(rows[0], "role", place));
        line.append(text(this.number.format(rows.length), "number"), this.fileCell(rows[0].file));
        return line;
      }),
    );
    this.renderRows();
    this.refresh();
  }

  /** The name of a file, and how it sounds. @param {string} file */
  fileCell(file) {
    const cell = text(file, "file");
    const button = this.listening.button(file);
    if (button) cell.prepend(button, " ");
    return cell;
  }

  renderRows() {
    this.listening.stop();
    const head = document.createElement("tr");
    for (const column of [this.texts.import, ...["file", ...this.columns].map((name) => this.proposal.columns[name])]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = column;
      head.append(cell);
    }
    this.part("head").replaceChildren(head);
    this.part("rows").replaceChildren(
      ...problemRows(this.proposal, this.texts, this.columns.length + 2, (name) => this.use(name)),
      ...this.rows.slice(0, this.shown).map((row, index) => {
        const line = document.createElement("tr");
        line.append(this.tick(row), this.fileCell(row.file), ...this.columns.map((column) => this.cell(row, column, `row-${index}`)));
        return line;
      }),
    );
    this.part("more").hidden = this.shown >= this.rows.length;
  }

  /** Use the file that is offered for one that is missing, or one that the table doesn't name. @param {string} name */
  use(name) {
    const row = this.proposal.offers[name];
    const isOther = (/** @type {string} */ other) => other !== name && other !== row.file;
    this.proposal.missing = this.proposal.missing.filter(isOther);
    this.proposal.left_out = this.proposal.left_out.filter(isOther);
    this.rows.unshift(row);
    this.groups = grouped(this.rows);
    this.showNotes();
    this.render();
    part(this.part("rows"), "input[type=checkbox]").focus();
  }

  /** A field by which a row is left out. @param {Row} row */
  tick(row) {
    const cell = document.createElement("td");
    const field = document.createElement("input");
    Object.assign(field, { type: "checkbox", checked: !this.leftOut.has(row) });
    field.setAttribute("aria-label", this.texts.kept.replace("{file}", row.file));
    field.addEventListener("change", () => {
      if (field.checked) this.leftOut.delete(row);
      else this.leftOut.add(row);
      this.refresh();
    });
    cell.append(field);
    return cell;
  }

  /** Write what has changed into the fields, which stay: whoever is in one, or on the way to a button, isn't disturbed. */
  refresh() {
    const systems = new Set(this.kept.map((row) => row.system)).size;
    this.showNumber();
    this.part("summary").textContent = this.texts.counts
      .replace("{clips}", this.number.format(this.kept.length))
      .replace("{systems}", this.number.format(systems));
    part(this.box, "[data-part=undo]", HTMLButtonElement).disabled = !this.history.length;
    for (const field of /** @type {NodeListOf<Field>} */ (this.box.querySelectorAll("[data-place]"))) {
      const { rows, column } = this.at(field);
      const values = new Set(rows.map((row) => row[column] ?? ""));
      const [value] = values.size === 1 ? values : [""];
      if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) {
        field.prepend(new Option(value || this.texts.mixed, value));
      }
      field.value = value;
      if (field instanceof HTMLInputElement) {
        field.placeholder = values.size > 1 ? this.texts.mixed : "";
        // Asked for once, in the group.
        field.required = column === "system" && field.dataset.place?.startsWith("group") === true && values.has("");
      }
    }
  }

  showMore() {
    this.shown += AT_ONCE;
    this.renderRows();
    this.refresh();
  }

  /** @param {Row} row @param {string} column @param {string} place */
  cell(row, column, place) {
    const cell = document.createElement("td");
    const field = column === "role" ? choice(this.proposal.roles) : document.createElement("input");
    field.dataset.place = `${place}-${column}`;
    field.setAttribute("aria-label", this.texts.field.replace("{column}", this.proposal.columns[column]).replace("{file}", row.file));
    cell.append(field);
    return cell;
  }

  /** The rows and the column of a field. @param {HTMLElement} field */
  at(field) {
    const [, kind, index, column] = /^(group|row)-(\d+)-(\w+)$/.exec(field.dataset.place ?? "") ?? [];
    return { rows: kind === "group" ? this.groups[Number(index)] : [this.rows[Number(index)]], column };
  }

  /** @param {EventTarget | null} field */
  changed(field) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || !field.dataset.place) return;
    const { rows, column } = this.at(field);
    const value = field.value.trim();
    if (rows.every((row) => (row[column] ?? "") === value)) return;
    this.history.push(rows.map((row) => ({ row, column, value: row[column] })));
    this.history.splice(0, this.history.length - UNDOS);
    for (const row of rows) row[column] = value;
    this.refresh();
  }

  undo() {
    for (const { row, column, value } of this.history.pop() ?? []) row[column] = value;
    this.refresh();
    if (!this.history.length) part(this.box, "h3").focus();
  }
}

/** Rows of the same system and role, in the order of their first file; they stay together when one changes. @param {Row[]} rows */
function grouped(rows) {
  /** @type {Map<string, Row[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.system}\n${row.role}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

/** @param {string} value @param {string} [name] */
function text(value, name = "") {
  const cell = document.createElement("td");
  cell.className = name;
  cell.textContent = value;
  return cell;
}
