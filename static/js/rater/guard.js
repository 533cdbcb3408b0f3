/**
 * Load a page again, once, if one of its scripts fails to load or to start; the next time, show the notice at once.
 *
 * Classic and separate, so that it runs whichever module is missing. Without it, the style sheet shows the notice after
 * some seconds. It does nothing once the page's own script has removed the notice.
 */
(() => {
  const PAUSE = 2_000; // milliseconds: what failed just now would fail again at once
  const RECENT = 60_000; // milliseconds in which a page loads itself again only once
  const notice = document.querySelector("[data-unloaded]");
  const key = `earshot:reloaded:${location.pathname}`;
  let hasFailed = false;

  /** Storage may be full or forbidden: then the page doesn't load itself again, as it might do so for ever. */
  function mayReload() {
    try {
      const last = Number(sessionStorage.getItem(key));
      if (Date.now() - last < RECENT) return false;
      sessionStorage.setItem(key, String(Date.now()));
      return sessionStorage.getItem(key) !== null;
    } catch {
      return false;
    }
  }

  function fail() {
    if (hasFailed || !notice?.isConnected) return;
    hasFailed = true;
    if (mayReload()) setTimeout(() => notice.isConnected && location.reload(), PAUSE);
    else notice.classList.add("shown");
  }

  // Of a script that doesn't arrive, and of one that breaks; a module's import that fails is a rejection.
  addEventListener("error", ({ target }) => (target === window || target instanceof HTMLScriptElement) && fail(), true);
  addEventListener("unhandledrejection", fail);
})();
