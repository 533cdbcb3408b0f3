/**
 * Take a problem off the page as soon as its field is right, in every form; each page loads this once.
 *
 * A field is checked again whenever it changes: by its form's own check, where it has one, else as browsers check fields.
 * Problems are lines that name their field by aria-describedby or stand in its place. Their going is spoken politely, and
 * the focus stays where it is. A form that hears "corrected" and prevents the default speaks for itself.
 *
 * @typedef {(line: HTMLElement) => string} Check what is still wrong; empty when nothing is
 */

const LINE = ".problem, .errorlist";
const PLACE = ".wrong, .errors, .field, .form-row";
// What says of a whole form that something in it is wrong.
const SUMMARY = ".errornote, [data-summary]";

/** @type {WeakMap<HTMLFormElement, Check>} */
const checks = new WeakMap();

/** Let a form's own check decide. @param {HTMLFormElement} form @param {Check} check */
export function recheckBy(form, check) {
  checks.set(form, check);
}

document.addEventListener("input", ({ target }) => {
  if (isField(target) && target.form) recheck(target, target.form);
});

// A script may have filled in another field meanwhile, such as an address made of the title.
for (const moment of ["keyup", "change"]) {
  document.addEventListener(moment, ({ target }) => {
    const form = isField(target) ? target.form : null;
    if (!form || checks.has(form) || shown(form).length === 0) return;
    for (const field of form.elements) if (isField(field) && field.value !== (field.defaultValue ?? field.value)) recheck(field, form);
  });
}

/** @param {EventTarget | null} target @returns {target is HTMLInputElement} or what is like one */
function isField(target) {
  return target instanceof HTMLElement && "form" in target && "validity" in target && "value" in target;
}

/**
 * @param {HTMLInputElement} field
 * @param {HTMLFormElement} form
 */
function recheck(field, form) {
  const check = checks.get(form) ?? ((line) => (isRight(field) ? "" : line.textContent ?? ""));
  for (const line of linesOf(field)) {
    const [before, now] = [line.textContent?.trim() ?? "", check(line)];
    if (!now) clear(line, field, form, before);
    else if (now.trim() !== before) line.textContent = now;
  }
}

/** Blanks alone fill in nothing, whatever a browser says. @param {HTMLInputElement} field */
function isRight({ validity, required, value }) {
  return validity.valid && (!required || value.trim() !== "");
}

/** Return the problems shown that are about a field. @param {HTMLInputElement} field @returns {HTMLElement[]} */
function linesOf(field) {
  const described = [field, field.closest("fieldset")].flatMap((each) => each?.getAttribute("aria-describedby")?.split(/\s+/) ?? []);
  const ids = new Set([...described, `${field.name}-problem`, `${field.id}_error`]);
  const tied = [...ids].map((id) => document.getElementById(id)).filter((line) => line?.matches(LINE) && isShown(line));
  return /** @type {HTMLElement[]} */ (tied.length > 0 ? tied : shown(field.closest(PLACE)));
}

/** Return the problems shown within a part of the page. @param {Element | null} place */
function shown(place) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (place?.querySelectorAll(LINE) ?? [])].filter(isShown);
}

/** @param {HTMLElement} line */
function isShown(line) {
  return !line.hidden && !line.matches(SUMMARY) && Boolean(line.textContent?.trim());
}

/**
 * @param {HTMLElement} line
 * @param {HTMLInputElement} field
 * @param {HTMLFormElement} form
 * @param {string} problem
 */
function clear(line, field, form, problem) {
  // What is only hidden would still describe its field.
  line.textContent = "";
  line.hidden = true;
  const namesakes = [...form.elements].filter((other) => field.name && isField(other) && other.name === field.name);
  for (const each of [field, ...namesakes]) each.removeAttribute("aria-invalid");
  const place = line.closest(".wrong, .errors");
  if (shown(place).length === 0) place?.classList.remove("wrong", "errors");
  if (shown(form).length === 0) for (const summary of form.querySelectorAll(SUMMARY)) summary.remove();
  speak(form, problem);
}

/**
 * @param {HTMLFormElement} form
 * @param {string} problem
 */
function speak(form, problem) {
  const region = /** @type {HTMLElement | null} */ (document.querySelector("[data-corrected]"));
  const sentence = region?.dataset.corrected?.replace("{problem}", problem) ?? "";
  const isOurs = form.dispatchEvent(new CustomEvent("corrected", { detail: sentence, cancelable: true }));
  if (isOurs && region) region.textContent = sentence;
}
