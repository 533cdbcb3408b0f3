/** Filter the folded groups of settings by words in label, help, text and dotted name, and open what an address names. */

/** @param {HTMLElement} page */
export function search(page) {
  const box = /** @type {HTMLElement | null} */ (page.querySelector("[data-search]"));
  const input = box?.querySelector("input");
  const result = /** @type {HTMLElement | null} */ (box?.querySelector("[role=status]"));
  const above = /** @type {HTMLElement | null} */ (box?.querySelector("[data-above]"));
  const all = /** @type {HTMLDetailsElement | null} */ (page.querySelector("details.ds-all"));
  if (!box || !input || !result || !above || !all) return;
  const groups = /** @type {HTMLDetailsElement[]} */ ([...page.querySelectorAll("details.ds-group")]);
  const folded = rowsOf(page, "details.ds-group > [data-row]");
  const main = rowsOf(page, "section > [data-row]");
  box.hidden = false;

  input.addEventListener("input", () => {
    const words = folding(input.value).split(/\s+/).filter(Boolean);
    const texts = new Map([...folded, ...main].map((row) => [row, textOf(row)]));
    const matches = (/** @type {HTMLElement} */ row) => words.every((word) => texts.get(row)?.includes(word));
    for (const row of folded) row.hidden = !matches(row);
    for (const group of groups) {
      const isEmpty = group.querySelector("[data-row]:not([hidden])") === null;
      group.hidden = isEmpty;
      group.open = words.length > 0 && !isEmpty;
    }
    const shown = words.length ? folded.filter((row) => !row.hidden) : [];
    const others = words.length ? main.filter(matches) : [];
    const number = shown.length + others.length;
    const { one = "", many = "", none = "" } = result.dataset;
    result.textContent = words.length ? (number > 1 ? many.replace("{number}", String(number)) : number ? one : none) : "";
    all.open = shown.length > 0;
    above.hidden = others.length === 0;
    above.replaceChildren(above.dataset.above ?? "", ...others.flatMap((row) => [" ", linkTo(row)]));
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  const reveal = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row?.matches("[data-row]")) return;
    unfold(row);
    row.scrollIntoView({ block: "center" });
    /** @type {HTMLElement | null} */ (row.querySelector("input, select, textarea"))?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);
  reveal();
}

/** Open the groups that a row is in. @param {Element | null | undefined} row */
export function unfold(row) {
  for (let group = row?.closest("details"); group; group = group.parentElement?.closest("details")) group.open = true;
}

/** @param {HTMLElement} page @param {string} selector */
function rowsOf(page, selector) {
  return /** @type {HTMLElement[]} */ ([...page.querySelectorAll(selector)]);
}

/** @param {HTMLElement} row */
function textOf(row) {
  const parts = [...row.querySelectorAll(".ds-label > :first-child, .ds-help p, .ds-value")];
  const fields = /** @type {NodeListOf<HTMLTextAreaElement>} */ (row.querySelectorAll("textarea"));
  const texts = [...parts.map((part) => part.textContent), ...[...fields].map((field) => field.value)];
  return folding([row.id, ...texts].join(" "));
}

/** Lower case without hyphens: "email" finds "e-mail". @param {string} text */
function folding(text) {
  return text.toLocaleLowerCase().replaceAll("-", "");
}

/** @param {HTMLElement} row */
function linkTo(row) {
  const link = document.createElement("a");
  link.href = `#${row.id}`;
  link.textContent = row.querySelector(".ds-label > :first-child")?.textContent ?? row.id;
  return link;
}
