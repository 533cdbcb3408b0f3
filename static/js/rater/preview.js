/** The preview's wrapper: its bar follows the page in the frame. */

import { part } from "./page.js";

const frame = part(document, ".preview-frame", HTMLIFrameElement);
const skip = part(document, "[data-preview-skip]", HTMLButtonElement);
const next = part(document, "[data-preview-next]", HTMLButtonElement);

/** Offer what the page in the frame has: a clip to leave out, a step to skip. */
function follow() {
  const path = frame.contentWindow?.location.pathname ?? "";
  next.disabled = !path.endsWith("/trial/");
  skip.disabled = path.endsWith("/end/");
  frame.contentDocument?.querySelector("[data-preview]")?.remove();
}

frame.addEventListener("load", follow);
follow();
