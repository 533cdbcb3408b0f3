"""When can a rater listen on a slow line? `python -m tests.bench.lines` (as root, on Linux; see docs/benchmarks.md).

Chromium and curl fetch the same clips through the same line, one after the other: that of a network namespace, with a
token bucket (tc), which may lose packets at random (nft). The rater reads the instructions until all of their page has
come; the time counts from the click on “Start”.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.stage import say, stamp
from tests.chromium import FLAGS, executable
from tests.servers import Processes, free_port

# Several runs at once are apart.
NUMBER = os.getpid() % 250
HOST, GUEST, DEVICE, SPACE = f"10.213.{NUMBER}.1", f"10.213.{NUMBER}.2", f"earshot{NUMBER}", f"earshot-{NUMBER}"
STUDIES = {"a clip of 10 s": "clip", "a passage of 60 s": "passage", "a screen of 7 clips of 10 s": "screen"}
PLAYER, READY = ".player", ".player[data-state=ready]"
PATIENCE = 1_800_000


@dataclass(frozen=True)
class Line:
    """What a line carries: thousands of bytes a second, and the percentage of packets that it loses."""

    speed: int
    loss: int

    def __str__(self) -> str:
        return f"{self.speed} KB/s" + (f", {self.loss} % lost" if self.loss else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speeds", default="15,50,200", help="KB/s")
    parser.add_argument("--losses", default="0,10", help="percent of packets, each way")
    parser.add_argument("--studies", default=",".join(STUDIES.values()))
    parser.add_argument("--rate", type=int, default=24_000, help="sample rate of the clips")
    parser.add_argument("--chromium", default=executable())
    options = parser.parse_args()
    lines = [Line(int(speed), int(loss)) for loss in options.losses.split(",") for speed in options.speeds.split(",")]
    names = options.studies.split(",")
    with tempfile.TemporaryDirectory() as folder, namespace(), served(Path(folder), options.rate) as (base, studies):
        chromium = Path(folder) / "chromium"
        chromium.write_text(f'#!/bin/sh\nexec ip netns exec {SPACE} {options.chromium} "$@"\n', encoding="utf-8")
        chromium.chmod(0o755)
        say(f"{stamp()}: clips at {options.rate} Hz; seconds until one clip and all can be played, by curl, ratio;")
        say("seconds from an answer until the next trial can be listened to; bytes of the page without sound")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(chromium), args=FLAGS)
            for line in lines:
                for title, name in STUDIES.items():
                    if name in names:
                        say(f"| {line} | {title} | {measure(browser, line, base, studies[name])} |")
            browser.close()


def measure(browser: Browser, line: Line, base: str, slug: str) -> str:
    """Let one rater come to the first trial of a study, and curl fetch what it had fetched; return cells of a table."""
    context = browser.new_context(base_url=base)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sounds: list[str] = []
    page.on("request", lambda request: sounds.append(request.url) if "/audio/" in request.url else None)
    someone = f"{time.time_ns()}"
    page.goto(f"/s/{slug}/?PROLIFIC_PID=p{someone}&STUDY_ID=bench&SESSION_ID=s{someone}")
    page.get_by_label("I have read this").check()
    with shaped(line):
        page.get_by_role("button", name="I agree").click()
        page.wait_for_load_state("networkidle")
        start = time.monotonic()
        page.get_by_role("button", name="Start").click()
        page.locator(READY).first.wait_for(state="attached")
        first = time.monotonic() - start
        clips = page.locator(PLAYER).count()
        all_ready = f"n => document.querySelectorAll('{READY}').length === n"
        page.wait_for_function(all_ready, arg=clips)
        everything = time.monotonic() - start
        weight = bytes_of(page)
        waited = answer(page)
        page.wait_for_function(all_ready, arg=clips)
        cookies = "; ".join(f"{cookie.get('name')}={cookie.get('value')}" for cookie in context.cookies())
        # Nothing else may be on the line.
        page.close()
        context.close()
        # Those of the second trial: the first one's are gone, and all are of one size.
        alone = curl(list(dict.fromkeys(sounds))[clips : 2 * clips], cookies)
    ratio = everything / alone
    cells = [f"{seconds:.1f}" for seconds in (first, everything, alone)]
    return " | ".join([*cells, f"{ratio:.2f}", f"{waited:.1f}", f"{weight / 1000:.0f} KB"])


def answer(page: Page) -> float:
    """Listen to all clips, answer, and return the seconds from Save until the next trial can be listened to."""
    if (stay := page.get_by_role("button", name="Continue", exact=True)).is_visible():
        stay.click()
    for player in page.locator(PLAYER).all():
        player.locator(".play").click()
        page.wait_for_function("player => player.dataset.state === 'ended'", arg=player.element_handle())
    for group in page.locator("form[data-answer] fieldset:visible").all():
        for choice in group.get_by_role("radio").all()[:1]:
            choice.check()
    for slider in page.locator("input.rating").all():
        slider.press("ArrowRight")
    position = page.locator("#where").inner_text()
    page.get_by_role("button", name="Save and continue").click()
    start = time.monotonic()
    page.wait_for_function("before => document.querySelector('#where').innerText !== before", arg=position)
    page.locator(READY).first.wait_for()
    return time.monotonic() - start


def bytes_of(page: Page) -> int:
    """Return the bytes of the page and of everything that it fetched but sound."""
    total: int = page.evaluate(
        """() => performance.getEntries()
          .filter((entry) => ["navigation", "resource"].includes(entry.entryType) && !entry.name.includes("/audio/"))
          .reduce((sum, entry) => sum + entry.transferSize, 0)"""
    )
    return total


def curl(urls: list[str], cookies: str) -> float:
    """Fetch these one after the other over one connection; return the seconds that took."""
    outputs = [part for url in urls for part in ("-o", "/dev/null", url)]
    start = time.monotonic()
    subprocess.run(
        ["ip", "netns", "exec", SPACE, "curl", "--silent", "--fail", "--cookie", cookies, *outputs], check=True
    )
    return time.monotonic() - start


@contextmanager
def namespace() -> Iterator[None]:
    """Make a host of its own on this machine, joined to it by one line."""
    run(f"ip netns add {SPACE}")
    try:
        run(f"ip link add {DEVICE} type veth peer name line{NUMBER}")
        run(f"ip link set line{NUMBER} netns {SPACE}")
        run(f"ip addr add {HOST}/30 dev {DEVICE}")
        run(f"ip link set {DEVICE} up")
        run(f"ip netns exec {SPACE} ip addr add {GUEST}/30 dev line{NUMBER}")
        run(f"ip netns exec {SPACE} ip link set line{NUMBER} up")
        # Packets as large as they are on a real line.
        run(f"ethtool -K {DEVICE} tso off gso off gro off", optional=True)
        yield
    finally:
        run(f"ip netns del {SPACE}")


@contextmanager
def shaped(line: Line) -> Iterator[None]:
    """Slow down what goes to the rater, and lose packets in both directions."""
    run(f"tc qdisc add dev {DEVICE} root tbf rate {line.speed * 8}kbit burst 3200 latency 300ms")
    if line.loss:
        run(f"nft add table inet {DEVICE}")
        for hook, way in (("output", "oifname"), ("input", "iifname")):
            run(f"nft add chain inet {DEVICE} {hook} {{ type filter hook {hook} priority 0; }}")
            run(f"nft add rule inet {DEVICE} {hook} {way} {DEVICE} numgen random mod 100 < {line.loss} drop")
    try:
        yield
    finally:
        if line.loss:
            run(f"nft delete table inet {DEVICE}")
        run(f"tc qdisc del dev {DEVICE} root")


def run(command: str, *, optional: bool = False) -> None:
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    if done.returncode and not optional:
        raise SystemExit(f"{command}: {done.stderr}")


@contextmanager
def served(folder: Path, rate: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve an Earshot with the studies; yield its address, and the studies' addresses by name."""
    port = free_port()
    base = f"http://{HOST}:{port}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT_")}
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "EARSHOT_DATA": str(folder), "EARSHOT_BASE_URL": base}
    processes = Processes({**own, **settings, "EARSHOT_SECRET_KEY": os.urandom(32).hex()}, folder)
    try:
        processes.manage("migrate", "--noinput", "--verbosity=0")
        processes.manage("collectstatic", "--noinput", "--verbosity=0")
        slugs = processes.python("-m", "tests.bench.lines_studies", str(rate)).finish().split()
        processes.python("-m", "gunicorn", "--config=python:config.gunicorn", f"--bind={HOST}:{port}", "config.wsgi")
        for _try in range(600):
            if subprocess.run(["curl", "--silent", base], capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield base, dict(zip(STUDIES.values(), slugs, strict=True))
    finally:
        processes.close()


if __name__ == "__main__":
    sys.exit(main())
