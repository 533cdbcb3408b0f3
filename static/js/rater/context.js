import { part } from "./texts.js";

/**
 * Show what comes before a clip, for every clip in the same place: the dialogue, and how the clip should sound.
 *
 * @typedef {{style: string, turns: {speaker: string, text: string}[], language: string}} Context
 * @param {HTMLElement | null} box null: the study shows none
 * @param {Context | undefined} context
 */
export function showContext(box, context) {
  if (!box || !context) return;
  const fill = (/** @type {HTMLElement} */ line, /** @type {string} */ text) => {
    line.textContent = text;
    line.dir = "auto";
    line.lang = context.language;
    return line;
  };
  const lines = context.turns.flatMap(({ speaker, text }) => [
    fill(document.createElement("dt"), speaker || "–"),
    fill(document.createElement("dd"), text),
  ]);
  part(box, "[data-turns]").replaceChildren(...lines);
  part(box, "[data-turns]").hidden = !lines.length;
  fill(part(box, "[data-style]"), context.style);
  part(box, "[data-style-row]").hidden = !context.style;
}
