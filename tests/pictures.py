"""Take the README's pictures from the demo: `PYTHONPATH=platform:. .venv/bin/python -m tests.pictures`.

Writes docs/pictures/{trial,results}-{light,dark}.png. Needs Chromium and the demo's synthesiser (locks/demo.txt).
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from launcher.links import SLUG, visitor
from tests.chromium import FLAGS, executable
from tests.servers import ROOT, Processes, free_port

FOLDER = ROOT / "docs" / "pictures"
VIEWPORT: ViewportSize = {"width": 1280, "height": 800}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MARGIN = 10
COLOURS = 128
LARGEST = 150_000
REASON = "The pause before the last word is too long."


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="earshot-pictures-") as name:
        processes = Processes(environment(Path(name)), Path(name))
        try:
            take(start(processes), processes.environment["DJANGO_SUPERUSER_PASSWORD"])
        finally:
            processes.close()


def environment(data: Path) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT_")}
    return {
        **others,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DJANGO_SUPERUSER_PASSWORD": secrets.token_urlsafe(),
        "EARSHOT_DATA": str(data),
        "EARSHOT_LOG_LEVEL": "WARNING",
        "EARSHOT_SECRET_KEY": secrets.token_hex(32),
    }


def start(processes: Processes) -> str:
    """Make the demo as `./run` does, start the web server and a worker, and return the address."""
    processes.manage("migrate", "--noinput", "--verbosity=0")
    processes.manage("collectstatic", "--noinput", "--verbosity=0")
    processes.manage("createsuperuser", "--noinput", "--username=admin", "--email=")
    processes.manage("seed_demo")
    broker, port = free_port(), free_port()
    processes.broker(broker)
    url = f"redis://127.0.0.1:{broker}/0"
    processes.worker(url)
    processes.web(port, EARSHOT_BROKER_URL=url)
    return f"http://127.0.0.1:{port}"


def take(address: str, password: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), headless=True, args=FLAGS)
        picture(browser, "trial", lambda page: trial(page, address))
        picture(browser, "results", lambda page: results(page, address, password))
        browser.close()


def picture(browser: Browser, name: str, show: Callable[[Page], list[Locator]]) -> None:
    """Store the part of the page that `show` returns, in light and dark."""
    page = browser.new_page(viewport=VIEWPORT, locale="en", reduced_motion="reduce")
    parts = show(page)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        image = Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB").crop(area(parts))
        path = FOLDER / f"{name}-{scheme}.png"
        image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
        size = path.stat().st_size
        assert size < LARGEST, f"{path.name} has {size} bytes"
    page.close()


def area(parts: list[Locator]) -> tuple[float, float, float, float]:
    """Return the rectangle around all parts, with a margin: left, top, right, bottom."""
    boxes = [box for part in parts if (box := part.bounding_box())]
    return (
        min(box["x"] for box in boxes) - MARGIN,
        max(0, min(box["y"] for box in boxes) - MARGIN),
        max(box["x"] + box["width"] for box in boxes) + MARGIN,
        max(box["y"] + box["height"] for box in boxes) + MARGIN,
    )


def trial(page: Page, address: str) -> list[Locator]:
    """Listen to the first clip and fill in its form, as a rater who comes by Prolific's link."""
    page.goto(f"{address}/s/{SLUG}/?{visitor()}")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    state = page.locator("#trial")
    expect(state).to_have_attribute("data-state", "ready")
    page.locator(".play").click()
    expect(state).to_have_attribute("data-state", "heard", timeout=60_000)
    page.get_by_role("radio", name="Machine").check()
    page.get_by_label("What in the audio").fill(REASON)
    return [page.locator(".bar"), state]


def results(page: Page, address: str, password: str) -> list[Locator]:
    """Open the demo's results, with those of its simulated raters."""
    page.goto(f"{address}/admin/login/?next=/studies/{SLUG}/results/%3Fsimulated=with")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    # A worker computes the scores.
    scores = page.get_by_role("region", name="Scores")
    expect(scores.get_by_role("figure")).to_be_visible(timeout=60_000)
    return [page.locator(".tiles"), scores]


if __name__ == "__main__":
    main()
