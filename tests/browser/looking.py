"""Looks at a page as people meet it who hear, see or move differently, and remembers which pages were seen."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.urls import reverse
from playwright.sync_api import Page

from tests.browser.every_page import NOT_PAGES
from tests.raters.crawl import routes

# The narrowest page that must work without scrolling sideways: 1280 px at 400 % (WCAG 2.2, 1.4.10).
NARROWEST = 320
# Axe copies style sheets into the page, which its policy forbids; the rules need no copies.
AXE = {"resultTypes": ["violations"], "preload": False}
# Nothing but colours differs in the dark, and nothing but them is the same at every width.
COLOURS = {**AXE, "runOnly": ["color-contrast"]}
WIDTHS = {1280: AXE, 390: {**AXE, "rules": {"color-contrast": {"enabled": False}}}}
WCAG = {"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"}
# Django's own: a label that is an image with a text, and a named mark inside its chooser's label.
DJANGOS = {"label-title-only": "#searchbar", "aria-prohibited-attr": "help-tooltip"}
TOO_WIDE = """
() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((element) => `${element.tagName.toLowerCase()}.${element.className}#${element.id}`).slice(0, 8)
"""


def look(page: Page, *, narrow: bool = True) -> list[str]:
    """Return what shuts somebody out of the page as it stands, at every width and in the dark."""
    found = []
    for width, options in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 800})
        found += [f"{page.url} at {width} px: {broken}" for broken in violations(page, options)]
    # Without motion: colours that are still changing would be measured.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"{page.url} in the dark: {broken}" for broken in violations(page, COLOURS)]
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    if narrow and page.evaluate("document.documentElement.scrollWidth") > NARROWEST:
        found.append(f"{page.url} scrolls sideways at {NARROWEST} px: {page.evaluate(TOO_WIDE)}")
    page.set_viewport_size({"width": next(iter(WIDTHS)), "height": 800})
    return found


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """Return the rules that the page breaks as it is shown."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found = []
    for rule in page.evaluate("options => axe.run(options)", options)["violations"]:
        places = [str(node["target"]) for node in rule["nodes"]]
        places = [place for place in places if DJANGOS.get(rule["id"], "—") not in place]
        if places and (rule["impact"] in {"serious", "critical"} or WCAG & set(rule["tags"])):
            found.append(f"{rule['id']} ({rule['impact']}): {places[:5]}")
    return found


class Walk:
    """Looks at pages on the way, and remembers which of the URLconf's they were."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen: set[str] = set()
        self.wrong: list[str] = []

    def look(self, name: str) -> None:
        self.seen.add(name)
        self.wrong += look(self.page)

    def see(self, name: str, **named: Any) -> None:
        self.page.goto(reverse(name, kwargs=named))
        self.look(name)

    def missed(self, prefix: str) -> set[str]:
        return {name for name in routes() if name.startswith(prefix)} - self.seen - set(NOT_PAGES)
