/** Recognise that a person was signed out while a page was open, and go on once they signed in again in another tab. */

/** A signed-out request is redirected; one with an old token is refused without a message. @param {Response} answer @param {string} message */
export function isSignedOut(answer, message = "") {
  return answer.redirected || (answer.status === 403 && !message && new URL(answer.url).origin === location.origin);
}

/** The form token of this page as the server gives it now: signing in changes it; "" while signed out. */
export async function freshToken() {
  const page = await fetch(location.href).catch(() => null);
  if (!page?.ok || page.redirected) return "";
  const field = new DOMParser().parseFromString(await page.text(), "text/html").querySelector("[name=csrfmiddlewaretoken]");
  return field instanceof HTMLInputElement ? field.value : "";
}
