"""Take the pictures of README and docs from the demo: `PYTHONPATH=platform:. .venv/bin/python -m tests.pictures`.

Writes {trial,results}-{light,dark}.png and {new,clips,launch}-light.png into docs/pictures; the trial is a moving
picture (APNG). Needs Chromium and the demo's synthesiser (locks/demo.txt).
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from launcher.links import SLUG, visitor
from tests.chromium import FLAGS, executable
from tests.servers import ROOT, Processes, free_port

FOLDER = ROOT / "docs" / "pictures"
VIEWPORT: ViewportSize = {"width": 1280, "height": 800}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
# Pages of the tutorial, of which the upper part is shown.
PAGES = {"new": "/new-study/", "clips": f"/studies/{SLUG}/clips/", "launch": f"/studies/{SLUG}/launch/"}
MARGIN = 10
COLOURS = 128
# Bytes of a picture, and of all together.
LARGEST, LARGEST_SUM = 400_000, 1_000_000
# How long each frame of the moving picture stays, in milliseconds; the last stays longer.
FRAME, LAST_FRAME = 1_100, 3_000
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
        for name, path in PAGES.items():
            picture(browser, name, partial(top_of, address=address, password=password, path=path), schemes=("light",))
        browser.close()
    total = sum(path.stat().st_size for path in FOLDER.iterdir())
    assert total < LARGEST_SUM, f"the pictures have {total} bytes"


def picture(
    browser: Browser, name: str, show: Callable[[Page], Iterator[list[Locator]]], schemes: Sequence[Scheme] = SCHEMES
) -> None:
    """Store the part of the page that `show` yields, in each scheme; several make a moving picture."""
    page = browser.new_page(viewport=VIEWPORT, locale="en", reduced_motion="reduce")
    frames: dict[str, list[Image.Image]] = {scheme: [] for scheme in schemes}
    for parts in show(page):
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            image = Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")
            frames[scheme].append(image.crop(within(area(parts), image.size)))
    page.close()
    for scheme, images in frames.items():
        path = FOLDER / f"{name}-{scheme}.png"
        store(images, path)
        size = path.stat().st_size
        assert size < LARGEST, f"{path.name} has {size} bytes"


def store(images: list[Image.Image], path: Path) -> None:
    """Write frames as one picture, on a canvas that holds the largest, with the last frame's colours."""
    width, height = (max(size) for size in zip(*(image.size for image in images), strict=True))
    ground = images[-1].getpixel((0, 0))
    palette = images[-1].quantize(COLOURS, dither=Image.Dither.NONE)
    sheets = []
    for image in images:
        sheet = Image.new("RGB", (width, height), ground)
        sheet.paste(image)
        sheets.append(sheet.quantize(palette=palette, dither=Image.Dither.NONE))
    if len(sheets) == 1:
        sheets[0].save(path, optimize=True)
        return
    durations = [FRAME] * (len(sheets) - 1) + [LAST_FRAME]
    sheets[0].save(path, save_all=True, append_images=sheets[1:], duration=durations, loop=0, optimize=True)


def area(parts: list[Locator]) -> tuple[float, float, float, float]:
    """Return the rectangle around all parts, with a margin: left, top, right, bottom."""
    boxes = [box for part in parts if (box := part.bounding_box())]
    return (
        min(box["x"] for box in boxes) - MARGIN,
        min(box["y"] for box in boxes) - MARGIN,
        max(box["x"] + box["width"] for box in boxes) + MARGIN,
        max(box["y"] + box["height"] for box in boxes) + MARGIN,
    )


def within(part: tuple[float, float, float, float], size: tuple[int, int]) -> tuple[float, float, float, float]:
    left, top, right, bottom = part
    return max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1])


def trial(page: Page, address: str) -> Iterator[list[Locator]]:
    """Listen to the first clip and fill in its form, as a rater who comes by Prolific's link."""
    page.goto(f"{address}/s/{SLUG}/?{visitor()}")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()
    state = page.locator("#trial")
    shown = [page.locator(".bar"), state]
    expect(state).to_have_attribute("data-state", "ready")
    yield shown
    page.locator(".play").click()
    page.wait_for_timeout(900)
    yield shown
    expect(state).to_have_attribute("data-state", "heard", timeout=60_000)
    yield shown
    page.get_by_role("radio", name="Machine").check()
    yield shown
    page.get_by_label("What in the audio").fill(REASON[: len(REASON) // 2])
    yield shown
    page.get_by_label("What in the audio").fill(REASON)
    yield shown


def top_of(page: Page, address: str, password: str, path: str) -> Iterator[list[Locator]]:
    """Open a researcher's page; its upper part is what a tutorial needs."""
    sign_in(page, address, password, path)
    page.locator("body").evaluate("body => { body.style.blockSize = '900px'; body.style.overflow = 'hidden'; }")
    yield [page.locator("body")]


def sign_in(page: Page, address: str, password: str, path: str) -> None:
    page.goto(f"{address}/admin/login/?next={quote(path)}")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def results(page: Page, address: str, password: str) -> Iterator[list[Locator]]:
    """Open the demo's results, with those of its simulated raters."""
    sign_in(page, address, password, f"/studies/{SLUG}/results/?simulated=with")
    # A worker computes the scores.
    scores = page.get_by_role("region", name="Scores")
    expect(scores.get_by_role("figure")).to_be_visible(timeout=60_000)
    yield [page.locator(".tiles"), scores]


if __name__ == "__main__":
    main()
