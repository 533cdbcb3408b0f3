/** Settings that are a list of the same inputs: add and remove an item, and have as many as there are values. */

/** @param {ParentNode} root @param {string} name @returns {HTMLElement | null} */
function listOf(root, name) {
  return root.querySelector(`[data-list="${CSS.escape(name)}"]`);
}

/** @param {HTMLElement} list */
function itemsOf(list) {
  return /** @type {HTMLElement[]} */ ([...list.querySelectorAll(":scope > [data-item]")]);
}

/** @param {HTMLElement} list @returns {HTMLElement} */
function add(list) {
  const template = /** @type {HTMLTemplateElement} */ (list.querySelector(":scope > template"));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const item = /** @type {HTMLElement} */ (copy.querySelector("[data-item]"));
  const number = `added-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  for (const each of item.querySelectorAll("[id], [for]")) {
    for (const name of ["id", "for"]) {
      const value = each.getAttribute(name);
      if (value) each.setAttribute(name, value.replace("-new-", `-${number}-`));
    }
  }
  template.before(item);
  return item;
}

/**
 * Have as many items as these values fill, where the setting is a list.
 * @param {ParentNode} root
 * @param {string} name
 * @param {number} values
 */
export function fit(root, name, values) {
  const list = listOf(root, name);
  if (!list) return;
  const template = /** @type {HTMLTemplateElement} */ (list.querySelector(":scope > template"));
  const wanted = values / template.content.querySelectorAll("[name]").length;
  while (itemsOf(list).length > wanted) itemsOf(list).at(-1)?.remove();
  while (itemsOf(list).length < wanted) add(list);
}

/** Let the buttons of every list work. @param {HTMLFormElement} form @param {(name: string) => void} changed called after an item was removed */
export function listen(form, changed) {
  form.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-add], [data-remove]") : null;
    const list = /** @type {HTMLElement | null | undefined} */ (button?.closest("[data-list]"));
    if (!button || !list) return;
    if (button.matches("[data-add]")) {
      /** @type {HTMLElement | null} */ (add(list).querySelector("[name]"))?.focus();
      return;
    }
    button.closest("[data-item]")?.remove();
    /** @type {HTMLElement | null} */ (list.querySelector("[data-add]"))?.focus();
    changed(list.dataset.list ?? "");
  });
}
