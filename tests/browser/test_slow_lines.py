"""Clips over slow and silent lines: what is needed first comes first, and bytes that came are kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from threading import Event
from time import monotonic
from typing import IO, Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, CDPSession, Page, Request, Route, expect

from core.files import storage
from core.web import streaming
from raters.models import Answer, TrialClip
from studies.models import Clip, Study
from tests import screens, world
from tests.browser.steps import fill, in_state, is_at, link, listen, make_study, save, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# Bytes a second: a poor mobile line.
SLOW = 50_000
# Clips that came whole: address, and when it was asked for and had come.
LOADS = """
() => performance.getEntriesByType("resource")
  .filter((entry) => entry.name.includes("/audio/") && entry.encodedBodySize > 0)
  .map((entry) => [entry.name, entry.startTime, entry.responseEnd])
"""


# The page's first two loads of a clip end in the middle.
TORN_TWICE = """
const real = window.fetch;
let left = 2;
window.fetch = async (url, options) => {
  const response = await real(url, options);
  if (!String(url).includes("/audio/") || left === 0) return response;
  left -= 1;
  const start = new Uint8Array(await response.arrayBuffer()).slice(0, 2000);
  let isSent = false;
  const pull = (stream) => {
    if (isSent) stream.error(new TypeError("network error"));
    else stream.enqueue(start);
    isSent = true;
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), response);
};
"""


class Line:
    """The line between the browser and the test's server."""

    def __init__(self, page: Page, context: BrowserContext) -> None:
        self.cdp: CDPSession = context.new_cdp_session(page)
        self.cdp.send("Network.enable")
        self.ranges: dict[str, list[str]] = {}
        self.urls: dict[str, str] = {}
        self.bytes: Counter[str] = Counter()
        page.on("request", self.note)
        self.cdp.on("Network.requestWillBeSent", self.note_start)
        self.cdp.on("Network.dataReceived", self.note_bytes)

    def note(self, request: Request) -> None:
        if "/audio/" in request.url:
            self.ranges.setdefault(request.url, []).append(request.headers.get("range", ""))

    def note_start(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def note_bytes(self, event: dict[str, Any]) -> None:
        self.bytes[self.urls.get(event["requestId"], "")] += event["dataLength"]

    def received(self, address: str) -> int:
        """Return how many bytes of what has this address have come."""
        return sum(size for url, size in self.bytes.items() if address in url)

    def ranges_of(self, clip: TrialClip) -> list[list[str]]:
        """Return the ranges in which a clip was asked for, for each address that it has."""
        return [ranges for url, ranges in self.ranges.items() if clip.key in url]

    def carry(self, throughput: int, latency: int = 20) -> None:
        """Let so many bytes through in a second, after so many milliseconds."""
        conditions = {
            "offline": not throughput,
            "latency": latency,
            "downloadThroughput": throughput,
            "uploadThroughput": throughput,
        }
        self.cdp.send("Network.emulateNetworkConditions", conditions)


@pytest.fixture
def line(page: Page, context: BrowserContext) -> Line:
    return Line(page, context)


def impatiently(route: Route) -> None:
    """Send the loader with a shorter silence, so that a test need not wait as long as a rater."""
    response = route.fetch()
    script, changed = re.subn(r"const SILENCE = 10_000;", "const SILENCE = 1_500;", response.text())
    assert changed == 1
    route.fulfill(response=response, body=script)


def screen_of_six(seconds: float) -> Study:
    systems = ("alpha", "beta", "gamma", "delta")
    return screens.make_study(now=timezone.now(), systems=systems, texts=2, seconds=(seconds,))


def come_to(page: Page, study: Study) -> None:
    """Come before the first trial, without waiting for its clips."""
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start").click()


def ready(page: Page) -> Any:
    return page.locator(".player[data-state=ready]")


def loaded(page: Page) -> None:
    """Wait for the clip; on a busy machine it takes so long that the page asks first whether to wait."""
    expect(page.locator("#trial")).to_have_attribute("data-state", re.compile("ready|line"))
    if page.locator("#trial").get_attribute("data-state") == "line":
        expect(page.get_by_text("The first clip is ready.")).to_be_visible()
        page.get_by_role("button", name="Continue").click()
    in_state(page, "ready")


def test_clips_of_a_screen_come_one_after_the_other_and_none_fails_while_bytes_flow(page: Page, line: Line) -> None:
    # Each clip takes longer than the line may be silent.
    page.route("**/rater/network*.js", impatiently)
    study = screen_of_six(5.2)
    line.carry(SLOW)
    come_to(page, study)
    expect(ready(page)).to_have_count(1)
    expect(page.locator(".player[data-state=loading]")).to_have_count(5)
    expect(page.locator(".player").first).to_have_attribute("data-state", "ready")
    expect(ready(page)).to_have_count(6)
    loads = page.evaluate(LOADS)[:6]
    clips = TrialClip.objects.filter(trial__position=1).order_by("place")
    assert [url.rpartition("/")[2] for url, _start, _end in loads] == [clip.key for clip in clips]
    assert all(start >= end for (_url, _start, end), (_next, start, _end) in pairwise(loads))
    assert not clips.filter(fetched_at=None).exists()


@pytest.mark.slow
def test_six_clips_of_half_a_megabyte_become_playable_at_fifty_kilobytes_a_second(page: Page, line: Line) -> None:
    line.carry(SLOW)
    come_to(page, screen_of_six(34.0))
    expect(page.locator(".player").first).to_have_attribute("data-state", "ready")
    expect(ready(page)).to_have_count(6, timeout=180_000)
    assert list(line.ranges.values())[:6] == [[""]] * 6


class Stalled:
    """A server whose first connections fall silent, the very first after some bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, connections: int) -> None:
        self.whole, self.connections, self.asked, self.is_back = streaming.stream, connections, 0, Event()
        monkeypatch.setattr(streaming, "CHUNK", 4000)
        monkeypatch.setattr(streaming, "stream", self.stream)

    def stream(self, file: IO[bytes], start: int, stop: int, sent: Any) -> Iterator[bytes]:
        self.asked += 1
        is_first, is_silent = self.asked == 1, self.asked <= self.connections
        for number, chunk in enumerate(self.whole(file, start, stop, sent)):
            assert not is_silent or (is_first and number < 2) or self.is_back.wait(60)
            yield chunk


def test_a_connection_that_falls_silent_is_made_anew_and_goes_on_where_it_broke_off(
    page: Page, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.route("**/rater/network*.js", impatiently)
    server = Stalled(monkeypatch, connections=1)
    come_to(page, make_study(seconds=5.0))
    loaded(page)
    server.is_back.set()
    clip = TrialClip.objects.get(trial__position=1)
    assert line.ranges_of(clip) == [["", "bytes=8000-"]]
    # What the first connection sent counts as soon as the server has seen that it broke off.
    fetched = TrialClip.objects.filter(pk=clip.pk, fetched_at__isnull=False)
    wait_until(page, fetched.exists, "the two parts don't count as the whole clip")


def test_a_line_that_stays_silent_fails_and_a_retry_goes_on_where_it_broke_off(
    page: Page, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.route("**/rater/network*.js", impatiently)
    server = Stalled(monkeypatch, connections=2)
    come_to(page, make_study(seconds=5.0))
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("could not be loaded")
    server.is_back.set()
    in_state(page, "ready")
    [asked] = line.ranges_of(TrialClip.objects.get(trial__position=1))
    assert asked == ["", "bytes=8000-", "bytes=8000-"]


def test_only_the_bytes_that_a_killed_server_forgot_are_fetched_again(page: Page, line: Line) -> None:
    come_to(page, make_study())
    listen(page)
    clip = TrialClip.objects.select_related("clip").get(trial__position=1)
    size = clip.clip.rendition_bytes
    TrialClip.objects.filter(pk=clip.pk).update(fetched_at=None, sent=[[0, 1000], [2000, size - 500]])
    fill(page)
    save(page)
    is_at(page, 2)
    [ranges] = line.ranges_of(clip)
    assert ranges == ["", "bytes=1000-1999", f"bytes={size - 500}-{size - 1}"]


def test_a_page_that_is_loaded_again_fetches_no_clip_again(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Stalled(monkeypatch, connections=0)
    come_to(page, make_study(seconds=5.0))
    loaded(page)
    # The browser keeps a clip once it has come whole, which is later than the server has sent it.
    wait_until(page, lambda: len(page.evaluate(LOADS)) == 2, "the next clip doesn't come")
    page.reload()
    loaded(page)
    assert server.asked == 2
    assert TrialClip.objects.filter(fetched_at__isnull=False).count() == 2


def test_a_clip_that_the_browser_keeps_and_the_server_forgot_is_fetched_for_the_answer(page: Page) -> None:
    come_to(page, make_study())
    listen(page)
    page.reload()
    in_state(page, "heard")
    TrialClip.objects.filter(trial__position=1).update(fetched_at=None, sent=[[0, 1000]])
    fill(page)
    save(page)
    is_at(page, 2)
    assert Answer.objects.count() == 1


def test_a_clip_on_a_slow_line_shows_how_much_has_come_and_how_long_it_will_take(page: Page, line: Line) -> None:
    # 6 s on this line: enough for a word, too few for the question whether to wait at all.
    study = make_study(seconds=20.0)
    line.carry(SLOW)
    come_to(page, study)
    advice = page.locator("#advice")
    expect(advice).to_have_text(re.compile(r"Your connection is slow: about \d+ s left"))
    before = page.locator("[data-part=track]").evaluate("track => track.value")
    assert 0 < before < 1
    page.wait_for_function("share => document.querySelector('[data-part=track]').value > share", arg=before)
    loaded(page)
    expect(advice).to_have_text("Listen to the whole clip, then answer.")
    assert page.locator("[data-part=track]").evaluate("track => track.value") == 0


def test_a_server_that_never_answers_fails_within_the_silence_too(page: Page) -> None:
    page.route("**/rater/network*.js", impatiently)
    page.route("**/audio/*", lambda route: None)
    come_to(page, make_study())
    in_state(page, "failed")
    page.unroute("**/audio/*")
    in_state(page, "ready")


def test_a_connection_that_breaks_while_bytes_come_is_made_anew_from_there(page: Page, line: Line) -> None:
    page.add_init_script(TORN_TWICE)
    come_to(page, make_study())
    in_state(page, "ready")
    [asked] = line.ranges_of(TrialClip.objects.get(trial__position=1))
    assert asked == ["", "bytes=2000-", "bytes=4000-"]


def test_a_clip_that_failed_loads_by_itself_once_the_connection_is_back(page: Page) -> None:
    page.route("**/audio/*", lambda route: route.abort("internetdisconnected"))
    come_to(page, make_study())
    in_state(page, "failed")
    page.unroute("**/audio/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    in_state(page, "ready")


def test_a_clip_that_failed_loads_again_by_itself_after_growing_pauses(page: Page) -> None:
    asked: list[float] = []
    addresses: list[str] = []

    def fail(route: Route) -> None:
        # The next clip is loaded while this one waits.
        addresses.append(route.request.url)
        if route.request.url != addresses[0] or len(asked) == 3:
            route.continue_()
            return
        asked.append(monotonic())
        if len(asked) == 3:
            route.fulfill(status=503, headers={"Retry-After": "6"})
        else:
            route.abort()

    page.route("**/audio/*", fail)
    come_to(page, make_study())
    in_state(page, "failed")
    expect(page.locator("#advice")).to_contain_text("Trying again in 1 s")
    expect(page.locator("#advice")).to_contain_text("Trying again in 2 s")
    # As long as the server asks for.
    expect(page.locator("#advice")).to_contain_text("Trying again in 6 s")
    waiting = monotonic()
    page.get_by_role("button", name="Try now").click()
    in_state(page, "ready")
    assert monotonic() - waiting < 5
    first, second, third = asked
    assert 1 <= second - first < 2 <= third - second


def test_an_answer_does_not_share_the_line_with_the_next_clip(page: Page, line: Line) -> None:
    study = make_study()
    line.carry(SLOW)

    def enlarge_the_next(route: Route) -> None:
        # A minute's worth of bytes: it is on its way for as long as this test lasts.
        wav = world.silence(190.0)
        name = storage.put("renditions", wav)
        Clip.objects.filter(pk=TrialClip.objects.get(trial__position=2).clip_id).update(
            rendition=name, rendition_bytes=len(wav)
        )
        route.continue_()

    page.route("**/audio/*", enlarge_the_next, times=1)
    come_to(page, study)
    listen(page)
    fill(page)
    following = f"/audio/{TrialClip.objects.get(trial__position=2).key}"
    wait_until(page, lambda: line.received(following) > SLOW // 2, "the next clip's bytes don't come")
    with page.expect_request(lambda request: following in request.url) as again:
        save(page)
        is_at(page, 2)
    assert re.fullmatch(r"bytes=[1-9]\d*-", again.value.headers["range"])
    assert not any(following in url for url, _start, _end in page.evaluate(LOADS))
    assert Answer.objects.count() == 1
