// Puts the focus where somebody who sent a form with errors starts to fix them.

/** @type {HTMLElement | null} */ (document.querySelector("form [aria-invalid=true]"))?.focus();
