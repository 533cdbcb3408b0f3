// Files, folders or ZIPs that were dropped or chosen: a table is proposed and corrected; then the files are sent, and the table after them.

import { part, parts } from "../rater/page.js";
import { ClipTable } from "./clip_table.js";
import { Sending } from "./upload.js";
import { list } from "./zip.js";

/** @typedef {import("./parts.js").Named} Named */

/**
 * @typedef {object} Chosen what is to be imported
 * @property {Named[]} files to be sent @property {string[]} names of all clips, those in ZIPs among them
 * @property {Named[]} tables that came along @property {Named[]} sources those of them that are read @property {string} [folder] of the store @property {string} [upload] sent before
 */

const form = part(document, "form[data-uploads]", HTMLFormElement);
const zone = part(form, "[data-drop]");
const note = part(zone, "[data-note]");
const lists = part(form, "[data-lists]", HTMLDetailsElement);
const button = part(form, "[type=submit]", HTMLInputElement);
const texts = /** @type {Record<string, string>} */ (zone.dataset);
const sending = new Sending(form);
const TABLES = /\.(csv|tsv|psv|jsonl|lst|scp)$/i;
const ZIP = /\.zip$/i;
const [archive, manifest, folder, key] = ["archive", "manifest", "folder", "upload"].map((name) => part(form, `[name=${name}]`, HTMLInputElement));
const table = new ClipTable(part(form, "[data-table]"), (layout) => propose(layout));

/** @type {Chosen} */
const NOTHING = { files: [], names: [], tables: [], sources: [] };
let chosen = NOTHING;
/** How often a table was asked for: answers can arrive in another order. */
let asked = 0;

zone.hidden = false;
lists.open = Boolean(form.querySelector(".errorlist"));
// What was sent before, on this page or for an import that was refused.
choose(key.value ? sentBefore(key.value) : NOTHING);
for (const field of [...parts(zone, "input", HTMLInputElement), archive]) {
  field.addEventListener("change", () => {
    take([...(field.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
    if (field !== archive) field.value = "";
  });
}
manifest.addEventListener("change", () => {
  if (isAnything()) choose({ ...chosen, sources: inField(manifest) });
});
part(form, "[data-stored]").addEventListener("toggle", fillFolders, { once: true });
folder.addEventListener("change", () => {
  put(manifest, null);
  choose(folder.value ? { ...NOTHING, folder: folder.value } : NOTHING);
});
for (const line of parts(form, "[data-upload]")) {
  for (const action of parts(line, "button", HTMLButtonElement)) {
    action.addEventListener("click", () => ("use" in action.dataset ? choose(sentBefore(line.dataset.upload ?? "")) : discard(line)));
  }
}
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

/** Delete what was sent before. @param {HTMLElement} line */
async function discard(line) {
  const answer = await fetch(line.dataset.url ?? "", { method: "DELETE", headers: headers() }).catch(() => null);
  if (!answer?.ok && answer?.status !== 404) {
    note.textContent = texts.away;
    return;
  }
  if (chosen.upload === line.dataset.upload) choose(NOTHING);
  line.remove();
  zone.querySelector("input")?.focus();
}

/** What was sent before, with the table as it was corrected in this tab. @param {string} upload @returns {Chosen} */
function sentBefore(upload) {
  const corrected = sessionStorage.getItem(`table ${upload}`);
  const file = new File([corrected ?? ""], "table.csv", { type: "text/csv" });
  return { ...NOTHING, upload, sources: corrected ? [{ name: file.name, file }] : [] };
}

/** @param {string} upload @param {string} corrected */
function remember(upload, corrected) {
  try {
    sessionStorage.setItem(`table ${upload}`, corrected);
  } catch {
    // Too long for a tab's memory: after a refused import it is proposed again.
  }
}

function headers() {
  return { "X-CSRFToken": part(form, "[name=csrfmiddlewaretoken]", HTMLInputElement).value, Accept: "application/json" };
}

function isAnything() {
  return Boolean(chosen.files.length || chosen.folder || chosen.upload);
}

/** Import this instead of what was chosen before. @param {Chosen} next */
function choose(next) {
  chosen = next;
  archive.required = false;
  key.value = chosen.upload ?? "";
  if (!chosen.folder) folder.value = "";
  note.textContent = "";
  table.hide();
  table.listening.use(chosen.files);
  showTables();
  simplify();
  button.disabled = !isAnything();
  if (chosen.names.length || chosen.folder || chosen.upload) propose();
}

/** Take what was dropped or chosen instead of what was chosen before. @param {Named[]} files */
async function take(files) {
  const tables = files.filter(({ name }) => TABLES.test(name));
  for (const [list, pattern] of Object.entries({ questions: /questions?\.(csv|tsv)$/i, golden: /golden[^/]*\.(csv|tsv)$/i })) {
    const field = parts(form, `[name=${list}]`, HTMLInputElement).at(0);
    const index = tables.findIndex(({ name }) => pattern.test(name));
    if (field && index >= 0) put(field, tables.splice(index, 1)[0].file);
  }
  const named = tables.find(({ name }) => /(^|\/)(manifest|metadata)\.(csv|tsv)$/i.test(name));
  const sources = named ? [named] : tables;
  const clips = files.filter(({ name }) => !TABLES.test(name));
  put(manifest, sources.length ? sources[0].file : ZIP.test(clips[0]?.name ?? "") ? manifest.files?.[0] ?? null : null);
  const now = { files: clips, names: /** @type {string[]} */ ([]), tables, sources };
  choose(now);
  button.disabled = true;
  const names = await namesOf(clips);
  // Another choice may have been made while archives were read.
  if (chosen !== now) return;
  if (names.length) choose({ ...now, names });
  else button.disabled = !isAnything();
}

/** Hide what is about archives and manifests, while a table of loose files is shown. */
function simplify() {
  const isSimple = !table.box.hidden && !chosen.files.some(({ name }) => ZIP.test(name));
  for (const each of parts(document, "[data-unless-table]")) each.hidden = isSimple;
  for (const each of parts(document, "[data-with-table]")) each.hidden = !isSimple;
}

/** Let people tick the tables that are read, if there are several. */
function showTables() {
  const box = part(zone, "[data-tables]", HTMLFieldSetElement);
  box.hidden = chosen.tables.length < 2;
  for (const line of parts(box, "label")) line.remove();
  for (const each of chosen.tables) {
    const label = document.createElement("label");
    const field = Object.assign(document.createElement("input"), { type: "checkbox", checked: chosen.sources.includes(each) });
    field.addEventListener("change", () => {
      const ticked = parts(box, "input", HTMLInputElement).map(({ checked }) => checked);
      choose({ ...chosen, sources: chosen.tables.filter((_table, index) => ticked[index]) });
      parts(box, "input").at(chosen.tables.indexOf(each))?.focus();
    });
    label.append(field, " ", each.name);
    box.append(label);
  }
}

/** The file of a field, with its name. @param {HTMLInputElement} field */
function inField(field) {
  return [...(field.files ?? [])].map((file) => ({ name: file.name, file }));
}

/** The names of all files, those in ZIPs among them; none where a ZIP has its table in it or beside it. @param {Named[]} clips */
async function namesOf(clips) {
  if (clips.length !== 1 || !ZIP.test(clips[0].name)) {
    const inside = clips.map(async ({ name, file }) => {
      if (!ZIP.test(name)) return [name];
      return (await list(file).catch(() => [])).map((path) => `${name.replace(ZIP, "")}/${path}`);
    });
    return (await Promise.all(inside)).flat();
  }
  if (manifest.files?.length) return [];
  const names = await list(clips[0].file).catch(() => []);
  return names.some((name) => name.split("/").length <= 2 && /\.csv$/i.test(name)) ? [] : names;
}

/** Ask the server for a table. @param {string} [layout] what the parts of the names are */
async function propose(layout = "") {
  const { names, sources, folder: stored = "", upload = "" } = chosen;
  const question = ++asked;
  const body = new FormData();
  body.append("files", new Blob([JSON.stringify(names)], { type: "application/json" }), "files.json");
  for (const { file } of sources) body.append("table", file);
  body.append("folder", stored);
  body.append("upload", upload);
  body.append("layout", layout);
  body.append("chosen", JSON.stringify(table.box.hidden ? {} : table.mapping.chosen));
  note.textContent = texts.reading;
  // Without its table, what is sent would be refused.
  button.disabled = true;
  const answer = await fetch(form.dataset.table ?? "", { method: "POST", headers: headers(), body }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  if (chosen.names !== names || chosen.sources !== sources || question !== asked) return;
  if (!answer?.ok || !said) {
    note.textContent = said?.message || texts.away;
    if (!sources.length && !layout) table.hide();
    // Several tables are one manifest only once they were read.
    button.disabled = sources.length > 1 && table.box.hidden;
    return;
  }
  note.textContent = "";
  button.disabled = false;
  const isFirst = table.box.hidden;
  table.show(said, sources.map(({ file }) => file.name).join(", ") || said.source);
  simplify();
  if (isFirst && !part(zone, "[data-tables]").contains(document.activeElement)) part(table.box, "h3").focus();
}

form.addEventListener("submit", async (event) => {
  if (!isAnything()) return;
  event.preventDefault();
  note.textContent = "";
  let files = chosen.files;
  if (!table.box.hidden) {
    put(manifest, table.manifest);
    const wanted = new Set(table.kept.map((row) => row.file));
    files = files.filter(({ name }) => ZIP.test(name) || wanted.has(name.normalize("NFC")));
  }
  if (files.length && !key.value) {
    table.box.hidden = true;
    key.value = await sending.send(files);
    table.box.hidden = !table.rows.length;
    if (!key.value) return;
  }
  const corrected = manifest.files?.[0];
  if (key.value && corrected) remember(key.value, await corrected.text());
  // The files are there: what goes now is the rest of the form.
  archive.disabled = true;
  form.submit();
});

/** Put a file into a field, as if it had been chosen there. @param {HTMLInputElement} field @param {File | null} file */
function put(field, file) {
  const transfer = new DataTransfer();
  if (file) transfer.items.add(file);
  field.files = transfer.files;
}
