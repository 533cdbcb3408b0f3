/** Find parts of a page, and its sentences, which the server wrote in the study's language. */

/**
 * Return the one element that matches, or say what the page lacks.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(root, selector) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`);
  return found;
}

/**
 * Fill {name} in a sentence.
 * @param {string} sentence
 * @param {Record<string, string | number>} [values]
 */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export class Texts {
  /** @param {Iterable<Element>} templates <template>s of elements with data-text; a later one's sentences prevail */
  constructor(templates) {
    /** @type {Map<string, string>} */
    this.sentences = new Map();
    for (const template of templates) {
      if (!(template instanceof HTMLTemplateElement)) throw new Error("Texts come from a <template>.");
      for (const line of template.content.querySelectorAll("[data-text]")) {
        this.sentences.set(/** @type {HTMLElement} */ (line).dataset.text ?? "", line.textContent ?? "");
      }
    }
  }

  /**
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  get(name, values) {
    const sentence = this.sentences.get(name);
    if (sentence === undefined) throw new Error(`The page has no text "${name}".`);
    return fill(sentence, values);
  }
}
