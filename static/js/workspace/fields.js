/** The fields of a form of settings, as lists of what a browser would send: several for boxes, none for an empty box. */

import { fit } from "./lists.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** @param {HTMLFormElement} form @param {string} name @returns {Field[]} */
export function fieldsOf(form, name) {
  return /** @type {Field[]} */ ([...form.elements].filter((each) => "value" in each && each.getAttribute("name") === name));
}

/** @param {HTMLFormElement} form @param {string} name @returns {string[]} */
export function read(form, name) {
  return fieldsOf(form, name).filter((field) => !isBox(field) || field.checked).map((field) => field.value);
}

/** @param {HTMLFormElement} form @param {string} name @param {string[]} values */
export function write(form, name, values) {
  fit(form, name, values.length);
  fieldsOf(form, name).forEach((field, index) => {
    if (isBox(field)) field.checked = values.includes(field.value);
    else field.value = values[index] ?? "";
  });
}

/** @param {string[]} one @param {string[]} other */
export function isSame(one, other) {
  return one.length === other.length && one.every((value, index) => value.replace(/\r\n/g, "\n") === other[index].replace(/\r\n/g, "\n"));
}

/** @param {Field} field @returns {field is HTMLInputElement} */
function isBox(field) {
  return field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");
}
