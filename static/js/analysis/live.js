import { parts } from "../rater/page.js";

/*
 * Keep a part of the page fresh: ask for it every few seconds and put it in place, without moving the page, taking the
 * focus or losing what was opened or selected. A part says where it comes from: data-src, data-seconds; what arrives
 * may carry data-stamp (sent back, so that nothing comes when nothing changed) and data-over (then asking ends).
 */

/** @param {HTMLElement} part */
export function live(part) {
  const { src = "" } = part.dataset;
  if (!src) throw new Error("live: data-src is missing");
  const wait = 1000 * Number(part.dataset.seconds || 5);
  let timer = 0;

  async function ask() {
    if (!document.hidden && !isBusy(part)) {
      try {
        const address = new URL(src, location.href);
        const stamp = parts(part, "[data-stamp]").at(0)?.dataset.stamp;
        if (stamp) address.searchParams.set("seen", stamp);
        const response = await fetch(address, { headers: { "X-Requested-With": "fetch" } });
        if (response.redirected) return location.reload();
        const html = response.status === 200 ? await response.text() : "";
        if (html) replace(part, html);
      } catch {
        // The connection is away for a moment: what is shown stays, and the next turn asks again.
      }
    }
    if (!part.querySelector("[data-over]")) timer = setTimeout(ask, wait);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    clearTimeout(timer);
    if (!part.querySelector("[data-over]")) timer = setTimeout(ask, 200);
  });
  if (!part.querySelector("[data-over]")) timer = setTimeout(ask, wait);
}

/** Somebody is selecting text here: leave it under their hand. @param {Element} part */
function isBusy(part) {
  const chosen = document.getSelection();
  return Boolean(chosen && !chosen.isCollapsed && part.contains(chosen.anchorNode));
}

/** @param {Element} part @param {string} html */
function replace(part, html) {
  const { activeElement } = document;
  const focused = activeElement && part.contains(activeElement) ? place(part, activeElement) : null;
  const scrolled = [...part.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const opened = new Map([...part.querySelectorAll("details")].map((box) => [labelOf(box), box.open]));
  const [left, top] = [window.scrollX, window.scrollY];
  const fresh = new DOMParser().parseFromString(html, "text/html");
  part.replaceChildren(...fresh.body.childNodes);
  [...part.querySelectorAll(".scroll")].forEach((box, index) => { box.scrollLeft = scrolled[index] ?? 0; });
  for (const box of part.querySelectorAll("details")) box.open = opened.get(labelOf(box)) ?? box.open;
  if (focused) find(part, focused)?.focus({ preventScroll: true });
  window.scrollTo(left, top);
}

/** By its label, not its number: another table may have come before it. @param {Element} box */
function labelOf(box) {
  const summary = box.querySelector("summary");
  return summary?.id || summary?.textContent;
}

/** Where an element is: by its id, else by its number among those that can have the focus. @param {Element} part @param {Element} element */
function place(part, element) {
  return { id: element.id, index: [...focusable(part)].findIndex((other) => other === element) };
}

/** @param {Element} part @param {{id: string, index: number}} place @returns {HTMLElement | null} */
function find(part, { id, index }) {
  return id ? part.querySelector(`#${CSS.escape(id)}`) : focusable(part)[index];
}

/** @param {Element} part @returns {NodeListOf<HTMLElement>} */
function focusable(part) {
  return part.querySelectorAll("a[href], button, input, select, summary, [tabindex]");
}
