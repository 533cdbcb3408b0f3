"""How soon is the next clip there? `python -m tests.bench.browser --database URL` (see docs/benchmarks.md).

A rater in Chromium listens, answers and saves; the page itself takes the time from the click on Save until the next
clip can be played. Before that, the trial page is loaded twice, by a browser that has nothing of it yet.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.bench.figures import spread
from tests.bench.stage import Stage, say, staged, stamp
from tests.bench.wire import REASON
from tests.chromium import FLAGS, executable

# A session has three sets of ten clips: two end with a break, and the last answer leads to another page.
IN_A_SESSION = 29
WATCH = """() => {
  const root = document.querySelector("#trial");
  const where = () => document.querySelector("#where").textContent;
  let clicked = 0;
  let before = "";
  window.waits = [];
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#save")) return;
    clicked = event.timeStamp;
    before = where();
  }, true);
  new MutationObserver(() => {
    const { state } = root.dataset;
    if (!clicked || where() === before || !["ready", "breath"].includes(state)) return;
    window.waits.push([state, performance.now() - clicked]);
    clicked = 0;
  }).observe(root, { attributes: true, attributeFilter: ["data-state"] });
}"""
# Of everything but clips: requests that reached the server, scripts among them, and bytes.
LOADED = """() => {
  const entries = performance.getEntries()
    .filter(({ entryType, name }) => ["navigation", "resource"].includes(entryType) && !name.includes("/audio/"));
  const sent = entries.filter((entry) => entry.transferSize > 0);
  const scripts = sent.filter((entry) => new URL(entry.name).pathname.endsWith(".js"));
  const sum = (list, key) => list.reduce((total, entry) => total + entry[key], 0);
  return {
    requests: sent.length, bytes: sum(sent, "transferSize"), scripts: scripts.length,
    script_bytes: sum(scripts, "transferSize"), unpacked: sum(scripts, "decodedBodySize"),
    cached: entries.length - sent.length,
  };
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; the database is dropped and made afresh")
    parser.add_argument("--trials", type=int, default=58)
    parser.add_argument("--duration", type=float, default=3.0, help="of a clip, in seconds")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, staged(asked.database, Path(folder)) as stage:
        stage.create()
        try:
            measure(stage, asked)
        finally:
            stage.processes.close()
            stage.drop()


def measure(stage: Stage, asked: argparse.Namespace) -> None:
    """Load the trial page twice, then rate in one session after the other."""
    made = stage.tool("seeding", f"--duration={asked.duration}", "--playback=record", "--people=1")
    stage.serve(worker=True)
    say(f"{stamp()}: clips of {asked.duration:g} s, playback record")
    waits: list[tuple[str, float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        load_twice(browser, stage, made)
        for number in range(-(-asked.trials // IN_A_SESSION)):
            context = window(browser, stage)
            arrive(context, f"/s/{made['slug']}/?PROLIFIC_PID=p{number}&STUDY_ID=bench&SESSION_ID=now-{number}", number)
            waits += rate(context.pages[0], min(IN_A_SESSION, asked.trials - number * IN_A_SESSION))
            context.close()
        browser.close()
    next_clip = [seconds for state, seconds in waits if state == "ready"]
    say(f"from Save to the next clip: {spread(next_clip)}, of {len(next_clip)}")
    say(f"from Save to the break after a set: {spread([seconds for state, seconds in waits if state == 'breath'])}")


def window(browser: Browser, stage: Stage) -> BrowserContext:
    context = browser.new_context(base_url=f"http://127.0.0.1:{stage.port}", viewport={"width": 1280, "height": 720})
    context.set_default_timeout(60_000)
    return context


def load_twice(browser: Browser, stage: Stage, made: dict[str, Any]) -> None:
    """Say what the trial page loads: for the first time without the pages before it, then again."""
    context = window(browser, stage)
    address = f"http://127.0.0.1:{stage.port}"
    context.add_cookies([{"name": "earshot_rater", "value": made["cookies"][0], "url": address}])
    for visit in ("first", "second"):
        page = context.new_page()
        page.goto(f"/rate/{made['slug']}/trial/")
        tell(f"trial page, {visit} visit", page)
        page.close()
    context.close()


def arrive(context: BrowserContext, link: str, number: int) -> None:
    """Come by the link, agree and read; the first rater's pages are counted."""
    page = context.new_page()
    page.goto(link)
    if number == 0:
        tell("study information", page)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/instructions/")
    if number == 0:
        tell("instructions after it", page)
    page.get_by_role("button", name="Start").click()
    page.locator("#trial[data-state=ready]").wait_for()
    if number == 0:
        tell("trial page after these", page)


def tell(what: str, page: Page) -> None:
    page.wait_for_load_state("networkidle")
    seen = page.evaluate(LOADED)
    sent, scripts, unpacked = (f"{seen[key] / 1000:.1f} kB" for key in ("bytes", "script_bytes", "unpacked"))
    say(
        f"{what}: {seen['requests']} requests, {sent} without clips; of them {seen['scripts']} scripts, {scripts}"
        f" ({unpacked} unpacked); {seen['cached']} from the cache"
    )


def rate(page: Page, trials: int) -> list[tuple[str, float]]:
    """Listen to a clip, answer, and save, so many times; return what came next and after how many seconds."""
    page.evaluate(WATCH)
    for number in range(1, trials + 1):
        if page.locator("#trial[data-state=breath]").is_visible():
            page.get_by_role("button", name="Continue", exact=True).click()
        page.locator("#trial[data-state=ready]").wait_for()
        page.locator(".play").click()
        page.locator("#trial[data-state=heard]").wait_for()
        page.get_by_role("radio", name="Unclear").check()
        page.get_by_label("What in the audio").fill(REASON.decode())
        page.locator("#save").click()
        page.wait_for_function("count => waits.length === count", arg=number)
    return [(state, wait / 1000) for state, wait in page.evaluate("waits")]


if __name__ == "__main__":
    main()
