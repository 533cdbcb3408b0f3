// A dropped folder, loose files, or a ZIP without a manifest: a table is proposed and corrected, then sent as ZIP and manifest.

import { part, parts } from "../rater/page.js";
import { ClipTable } from "./clip_table.js";
import { LARGEST, list, pack } from "./zip.js";

/** @typedef {import("./zip.js").Named} Named */

const form = part(document, "form[data-uploads]", HTMLFormElement);
const zone = part(form, "[data-drop]");
const note = part(zone, "[data-note]");
const lists = part(form, "[data-lists]", HTMLDetailsElement);
const texts = /** @type {Record<string, string>} */ (zone.dataset);
const [archive, manifest, folder] = ["archive", "manifest", "folder"].map((name) => part(form, `[name=${name}]`, HTMLInputElement));
const table = new ClipTable(part(form, "[data-table]"), (layout) => propose(layout));

/** What is to be sent: loose files, a ZIP and the names in it, or a folder of the store; with the table that came along. */
/** @type {{ files: Named[], names: string[], source: File | null, folder?: string }} */
let chosen = { files: [], names: [], source: null };
/** How often a table was asked for: answers can arrive in another order. */
let asked = 0;

zone.hidden = false;
lists.open = Boolean(form.querySelector(".errorlist"));
for (const field of parts(zone, "input", HTMLInputElement)) {
  field.addEventListener("change", () => {
    take([...(field.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
    field.value = "";
  });
}
for (const field of [archive, manifest]) field.addEventListener("change", () => check());
part(form, "[data-stored]").addEventListener("toggle", fillFolders, { once: true });
folder.addEventListener("change", () => {
  put(archive, null);
  put(manifest, null);
  table.hide();
  chosen = { files: [], names: [], source: null, folder: folder.value };
  archive.required = !folder.value;
  if (folder.value) propose();
});
archive.addEventListener("invalid", () => {
  lists.open = true;
});
for (const moment of ["dragover", "dragenter"]) {
  zone.addEventListener(moment, (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
}
zone.addEventListener("dragleave", () => zone.classList.remove("over"));
zone.addEventListener("drop", async (event) => {
  event.preventDefault();
  zone.classList.remove("over");
  const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  take((await Promise.all(entries.map(walk))).flat());
});

/** @param {FileSystemEntry} entry @returns {Promise<Named[]>} */
async function walk(entry) {
  if (entry.isFile) {
    const leaf = /** @type {FileSystemFileEntry} */ (entry);
    return [{ name: leaf.fullPath.slice(1), file: await new Promise((done, fail) => leaf.file(done, fail)) }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Named[][][]} */
  const found = [];
  // Entries come in batches until there are none.
  for (let batch = await read(reader); batch.length; batch = await read(reader)) found.push(await Promise.all(batch.map(walk)));
  return found.flat(2);
}

/** @param {FileSystemDirectoryReader} reader @returns {Promise<FileSystemEntry[]>} */
function read(reader) {
  return new Promise((done, fail) => reader.readEntries(done, fail));
}

/** Offer the folders of the store as suggestions. */
async function fillFolders() {
  const said = await fetch(form.dataset.table ?? "", { headers: { Accept: "application/json" } })
    .then((answer) => answer.json())
    .catch(() => null);
  /** @type {string[]} */
  const names = said?.folders ?? [];
  part(form, "#folders").replaceChildren(
    ...names.map((name) => Object.assign(document.createElement("option"), { value: name })),
  );
  part(form, "[data-no-folders]").hidden = !said || names.length > 0;
}

/** Take what was dropped or chosen instead of what was chosen before. @param {Named[]} files */
function take(files) {
  const ending = (/** @type {RegExp} */ pattern) => files.filter(({ name }) => pattern.test(name));
  const tables = ending(/\.(csv|tsv)$/i);
  for (const [list, pattern] of Object.entries({ questions: /questions?\.(csv|tsv)$/i, golden: /golden[^/]*\.(csv|tsv)$/i })) {
    const field = parts(form, `[name=${list}]`, HTMLInputElement).at(0);
    const index = tables.findIndex(({ name }) => pattern.test(name));
    if (field && index >= 0) put(field, tables.splice(index, 1)[0].file);
  }
  folder.value = "";
  const [zip] = ending(/\.zip$/i);
  const named = tables.find(({ name }) => /(^|\/)(manifest|metadata)\.(csv|tsv)$/i.test(name));
  const source = (named ?? (tables.length === 1 ? tables[0] : null))?.file ?? null;
  put(manifest, source);
  put(archive, zip?.file ?? null);
  if (zip) {
    check();
    return;
  }
  chosen = { files, names: files.map(({ name }) => name), source };
  // It is packed when the form is sent.
  archive.required = false;
  if (files.length) propose();
  if (tables.length > 1 && !source) note.textContent = texts.several;
}

/** A ZIP with a manifest in it or beside it needs no table here. */
async function check() {
  const now = { files: [], names: [], source: null };
  chosen = now;
  archive.required = !folder.value;
  table.hide();
  note.textContent = "";
  const zip = archive.files?.[0];
  if (zip) folder.value = "";
  if (!zip || manifest.files?.length) return;
  const names = await list(zip).catch(() => []);
  const isTop = (/** @type {string} */ name) => name.split("/").length <= 2 && /\.csv$/i.test(name);
  // Another choice may have been made while the archive was read.
  if (!names.length || names.some(isTop) || chosen !== now) return;
  chosen = { files: [], names, source: null };
  propose();
}

/** Ask the server for a table. @param {string} [layout] what the parts of the names are */
async function propose(layout = "") {
  const { names, source, folder: stored = "" } = chosen;
  asked += 1;
  const question = asked;
  const body = new FormData();
  body.append("files", new Blob([JSON.stringify(names)], { type: "application/json" }), "files.json");
  if (source) body.append("table", source);
  if (stored) body.append("folder", stored);
  if (layout) body.append("layout", layout);
  body.append("chosen", JSON.stringify(table.box.hidden ? {} : table.chosen));
  note.textContent = texts.reading;
  const headers = { "X-CSRFToken": part(form, "[name=csrfmiddlewaretoken]", HTMLInputElement).value, Accept: "application/json" };
  const answer = await fetch(form.dataset.table ?? "", { method: "POST", headers, body }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  if (chosen.names !== names || question !== asked) return;
  if (!answer?.ok || !said) {
    note.textContent = said?.message || texts.away;
    if (!source && !layout) table.hide();
    return;
  }
  note.textContent = "";
  const isFirst = table.box.hidden;
  table.show(said, source?.name ?? said.source);
  if (isFirst) part(table.box, "h3").focus();
}

form.addEventListener("submit", async (event) => {
  if (table.box.hidden) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const button = part(form, "[type=submit]", HTMLInputElement);
  if (chosen.files.length) {
    const wanted = new Set(table.kept.map((row) => row.file));
    const files = chosen.files.filter(({ name }) => wanted.has(name.normalize("NFC")));
    if (files.reduce((sum, { file }) => sum + file.size, 0) > LARGEST) {
      note.textContent = texts.large;
      return;
    }
    button.disabled = true;
    try {
      const advance = (/** @type {number} */ done) => {
        note.textContent = texts.packing.replace("{done}", String(done)).replace("{all}", String(files.length));
      };
      put(archive, await pack(files, "clips.zip", advance));
    } catch {
      note.textContent = texts.unreadable;
      return;
    } finally {
      button.disabled = false;
    }
  }
  put(manifest, table.manifest);
  note.textContent = "";
  table.box.hidden = true;
  // Not while this submission is still being refused, when browsers ignore another.
  setTimeout(() => form.requestSubmit());
});

/** Put a file into a field, as if it had been chosen there. @param {HTMLInputElement} field @param {File | null} file */
function put(field, file) {
  const transfer = new DataTransfer();
  if (file) transfer.items.add(file);
  field.files = transfer.files;
}
