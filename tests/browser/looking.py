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
SHAPES = {**AXE, "rules": {"color-contrast": {"enabled": False}}}
COLOURS = {"resultTypes": ["violations", "passes"], "preload": False, "runOnly": ["color-contrast"], "elementRef": True}
WIDTHS = (1280, 390)
WCAG = {"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"}
# Django's own: a label that is an image with a text, and a named mark inside its chooser's label.
DJANGOS = {"label-title-only": "#searchbar", "aria-prohibited-attr": "help-tooltip"}
RUN = """
options => axe.run(options).then(({violations}) => violations)
"""
# What contrast follows from: the text's own style, and what shows behind it. Pages share most of it, and it is the
# costly rule, so axe measures only texts whose style has not passed before; what it can't decide, it looks at again.
CONTRAST = """
async ([options, passed]) => {
  passed = new Set(passed);
  const behind = new Map([[null, ""]]);
  const back = (element) => {
    if (!behind.has(element)) {
      const shown = getComputedStyle(element);
      const own = [shown.backgroundColor, shown.backgroundImage, shown.backgroundClip, shown.opacity, shown.filter,
        shown.mixBlendMode, shown.position].join();
      const below = back(element.parentElement);
      behind.set(element, own === "rgba(0, 0, 0, 0),none,border-box,1,none,normal,static" ? below : `${below}|${own}`);
    }
    return behind.get(element);
  };
  const style = (element) => {
    const {color, fontSize, fontWeight, textShadow} = getComputedStyle(element);
    return [color, fontSize, fontWeight, textShadow, back(element)].join();
  };
  const holds = (element) => element.matches("input, select, textarea")
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const include = [...document.querySelectorAll("body, body *")].filter(
    (element) => holds(element) && element.checkVisibility() && !passed.has(style(element))
  );
  if (!include.length) return [[], []];
  const {passes, violations} = await axe.run({include}, options);
  const styles = (rules) => new Set(rules.flatMap(({nodes}) => nodes.map(({element}) => style(element))));
  const [well, badly] = [styles(passes), styles(violations)];
  const broken = violations.map((rule) => ({...rule, nodes: rule.nodes.map(({target}) => ({target}))}));
  return [broken, [...well].filter((each) => !badly.has(each))];
}
"""
# The styles of texts that axe found readable, on the pages that this process has seen.
PASSED: set[str] = set()
# The sheet of components, as the page /styleguide/ shows it: sizes and weights of headings, and the size of buttons.
SHEET = """
() => {
  if (!document.querySelector(".page .ws-top")) return [];
  const headings = {H1: "25px 700", H2: "20px 700", H3: "16px 700"};
  const shown = [...document.querySelectorAll(".page :is(h1, h2, h3, .button)")].filter(
    (element) => element.checkVisibility() && !element.closest(".visually-hidden")
  );
  return shown.flatMap((element) => {
    const {fontSize, fontWeight} = getComputedStyle(element);
    const text = `${element.tagName.toLowerCase()} “${element.textContent.trim().slice(0, 30)}”`;
    const style = `${fontSize} ${fontWeight}`;
    if (element.matches(".button")) {
      const height = element.getBoundingClientRect().height;
      return style === "16px 600" && height >= 43.5 ? [] : [`${text} is ${style}, ${height} px high`];
    }
    return style === headings[element.tagName] ? [] : [`${text} is ${style}`];
  }).slice(0, 8);
}
"""
TOO_WIDE = """
() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((element) => `${element.tagName.toLowerCase()}.${element.className}#${element.id}`).slice(0, 8)
"""


def look(page: Page, *, narrow: bool = True) -> list[str]:
    """Return what shuts somebody out of the page as it stands, at every width and in the dark."""
    found = []
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found += [f"{page.url} at {width} px: {broken}" for broken in violations(page.evaluate(RUN, SHAPES))]
        if width == WIDTHS[0]:
            found += [f"{page.url} at {width} px: {broken}" for broken in contrasts(page)]
            found += [f"{page.url}, not as in the sheet of components: {other}" for other in page.evaluate(SHEET)]
    # Without motion: colours that are still changing would be measured.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"{page.url} in the dark: {broken}" for broken in contrasts(page)]
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    if narrow and page.evaluate("document.documentElement.scrollWidth") > NARROWEST:
        found.append(f"{page.url} scrolls sideways at {NARROWEST} px: {page.evaluate(TOO_WIDE)}")
    page.set_viewport_size({"width": WIDTHS[0], "height": 800})
    return found


def contrasts(page: Page) -> list[str]:
    """Return the rule of contrast where the page breaks it as it is shown."""
    broken, passed = page.evaluate(CONTRAST, [COLOURS, sorted(PASSED)])
    PASSED.update(passed)
    return violations(broken)


def violations(rules: list[dict[str, Any]]) -> list[str]:
    """Return the broken rules that shut somebody out, with the places that break them."""
    found = []
    for rule in rules:
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
