/** Rows of files that the table or the folder lacks, each with the file that can be used all the same. */

import { element } from "./elements.js";

/** @typedef {import("./table_columns.js").Proposal} Proposal */

// Of each kind.
const MOST = 50;

/**
 * @param {Proposal} proposal @param {DOMStringMap} texts @param {number} columns of the table
 * @param {(name: string) => void} use takes the row that is offered under this name
 */
export function problemRows({ missing, left_out, hints, offers }, texts, columns, use) {
  const meant = new Set(Object.values(hints));
  const absent = missing.slice(0, MOST).map((name) => {
    const near = hints[name];
    return { name, note: (near ? texts.near : texts.absent)?.replace("{file}", near ?? ""), file: near };
  });
  const unnamed = left_out
    .filter((file) => !meant.has(file))
    .slice(0, MOST)
    .map((file) => ({ name: file, note: texts.unnamed, file }));
  return [...absent, ...unnamed].map(({ name, note, file }) => {
    const line = element("tr", { className: "problem" });
    // In view on a narrow screen, too, where the table is wider.
    const said = element("div");
    said.append(element("strong", { textContent: name }), ` ${note} `);
    if (file && offers[name]) {
      const button = element("button", { type: "button", className: "button secondary", textContent: texts.use });
      button.setAttribute("aria-label", `${texts.use}: ${file}`);
      button.addEventListener("click", () => use(name));
      said.append(button);
    }
    const cell = element("td", { colSpan: columns });
    cell.append(said);
    line.append(cell);
    return line;
  });
}
