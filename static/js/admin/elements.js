/** Elements of the page, made in one call. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Partial<HTMLElementTagNameMap[Tag]>} [properties] @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}
