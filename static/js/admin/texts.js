// Keys on the list of texts: arrows move, A accepts or cross-checks, E edits, R rejects, U undoes the last review.
// They work only while a text, or a button of it, has the focus.

import { parts } from "../rater/page.js";

const NEXT = "texts-next";
// Kept under NEXT after the last text of a page.
const REST = "rest";
const items = parts(document, "[data-text]");
const undo = document.querySelector("[data-undo] button");

/** @param {HTMLElement | undefined | null} item */
function focus(item) {
  if (!item) return;
  item.focus();
  item.scrollIntoView({ block: "nearest" });
}

/** Whether this person can accept or cross-check a text that nobody rejected. @param {HTMLElement} item */
function waits(item) {
  return item.querySelector('[data-key="a"]') !== null && !item.classList.contains("text-rejected");
}

/** After the last text of a page, focus one that still waits on it, or open the next page. */
function focusRest() {
  const open = items.find(waits);
  const more = document.querySelector('.text-list a[rel="next"]');
  if (!open && more instanceof HTMLElement) more.click();
  else focus(open ?? items.at(-1));
}

function start() {
  const wanted = sessionStorage.getItem(NEXT) ?? location.hash.slice(1);
  sessionStorage.removeItem(NEXT);
  const form = document.querySelector("[data-edit] textarea");
  if (form instanceof HTMLElement) form.focus();
  else if (wanted === "review") focus(items.find(waits) ?? items[0]);
  else if (wanted === REST) focusRest();
  else if (wanted.startsWith("text-") && wanted !== "text-settings") focus(items.find(({ id }) => id === wanted) ?? items[0]);
}

for (const item of items) {
  // Only the first is reached by Tab, or the one that was focused last.
  item.tabIndex = item === items[0] ? 0 : -1;
  item.addEventListener("focus", () => {
    for (const other of items) other.tabIndex = other === item ? 0 : -1;
  });
}

document.addEventListener("keydown", (event) => {
  const at = event.target instanceof Element ? event.target : null;
  const save = at?.closest("[data-edit]")?.querySelector('button[value="edit"]');
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && save instanceof HTMLElement) return save.click();
  const item = items.find((each) => each.contains(at));
  if (!item || at?.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = items.indexOf(item);
  const key = event.key.toLowerCase();
  if (key === "arrowdown" || key === "arrowup") {
    event.preventDefault();
    focus(items[place + (key === "arrowdown" ? 1 : -1)]);
  } else if (key === "u" && undo instanceof HTMLElement) {
    undo.click();
  } else if (["a", "e", "r"].includes(key)) {
    const button = item.querySelector(`[data-key="${key}"]`);
    if (!(button instanceof HTMLElement)) return;
    event.preventDefault();
    if (key === "a") remember(place);
    button.click();
    if (key === "r") parts(item, ".reject input[name=reason]").at(0)?.focus();
  }
});

/** After a review, the next text that waits has the focus. @param {number} place */
function remember(place) {
  sessionStorage.setItem(NEXT, items.slice(place + 1).find(waits)?.id ?? REST);
}

for (const form of document.querySelectorAll(".reject form")) {
  form.addEventListener("submit", () => remember(items.findIndex((item) => item.contains(form))));
}

// The browser moves the focus to the address's anchor until then.
addEventListener("load", () => setTimeout(start));
