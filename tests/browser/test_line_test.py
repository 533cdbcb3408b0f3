"""The line test: raters on a slow line are told how long they will wait before the first clip, and may leave."""

from __future__ import annotations

import re
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from core.files import storage
from raters.models import Session, TrialClip
from studies.imports.ingest.wav import header
from studies.models import Clip, Study
from tests import kinds, screens
from tests.browser.looking import look
from tests.browser.steps import begin, fill, in_state, is_at, link, listen, make_study, open_trial, save
from tests.browser.test_slow_lines import SLOW, Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# So long that it takes 12 s on the slow line, and fewer than it plays.
SECONDS = 38.0
HEADING = "Your connection is slow"
WAITS = """
async ([outlook, work]) => {
  const { waits } = await import(document.querySelector("link[href*='js/rater/line']").href);
  return waits(outlook, work);
}
"""
# The seconds in which the page had nothing to play.
WATCH = """
let [state, since, sum] = ["", 0, 0];
const look = () => {
  const now = performance.now(), next = document.querySelector("#trial")?.dataset.state ?? "";
  if (next === state) return;
  if (["loading", "line"].includes(state)) sum += now - since;
  [state, since] = [next, now];
};
new MutationObserver(look).observe(document, { subtree: true, childList: true, attributeFilter: ["data-state"] });
window.waited = () => sum / 1000;
"""


def open_instructions(page: Page, study: Study) -> None:
    page.goto(link(study))
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/instructions/", wait_until="networkidle")


@pytest.fixture
def line(page: Page, context: BrowserContext) -> Line:
    return Line(page, context)


def test_on_a_good_line_nobody_meets_it(page: Page, line: Line) -> None:
    begin(page, make_study())
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()
    listen(page)
    fill(page)
    save(page)
    is_at(page, 2)


def test_a_slow_line_is_told_of_and_what_has_come_is_kept(page: Page, line: Line) -> None:
    study = make_study(seconds=SECONDS, protocol__playback="record", protocol__batches_per_session=1)
    line.carry(SLOW)
    open_trial(page, study)
    expect(page.get_by_role("heading", name=HEADING)).to_be_focused()
    in_state(page, "line")
    expect(page.get_by_text(re.compile(r"You can listen to the first clip in about \d+ s\."))).to_be_visible()
    expect(page.get_by_text("you will hardly wait for them")).to_be_visible()
    assert look(page) == []
    # No key plays what isn't shown.
    page.keyboard.press("Space")
    expect(page.get_by_role("status").filter(has_text="The first clip is ready.")).to_be_visible()
    in_state(page, "line")
    page.get_by_role("button", name="Continue", exact=True).click()
    in_state(page, "ready")
    expect(page.locator(".play")).to_be_focused()
    [ranges] = line.ranges_of(TrialClip.objects.get(trial__position=1))
    assert ranges == [""]
    page.reload()
    in_state(page, "ready")
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()


def test_one_can_continue_at_once_and_leave_for_it(page: Page, line: Line) -> None:
    study = make_study(seconds=SECONDS, crowd__screened_out_code="OUT1")
    line.carry(SLOW)
    open_trial(page, study)
    in_state(page, "line")
    page.get_by_role("button", name="Continue", exact=True).click()
    in_state(page, "loading")
    expect(page.locator("#advice")).to_contain_text(HEADING)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    in_state(page, "line")
    page.get_by_role("button", name="Leave study").click()
    page.wait_for_url("**/end/")
    expect(page.get_by_role("heading", name="You left before the first clip")).to_be_visible()
    expect(page.locator("#code")).to_have_text("OUT1")
    assert look(page) == []
    assert Session.objects.get().outcome == "screened_out"


def test_a_screen_of_clips_that_load_longer_than_they_play_says_how_long_it_will_all_take(
    page: Page, line: Line
) -> None:
    systems = ("alpha", "beta", "gamma", "delta")
    study = screens.make_study(now=timezone.now(), systems=systems, texts=6, seconds=(10.0,))
    line.carry(10_000)
    open_trial(page, study)
    in_state(page, "line")
    expect(page.get_by_text(re.compile(r"Still, you will wait for about \d+ (s|min) in all"))).to_be_visible()


def is_in_proportion(announced: float, followed: float) -> bool:
    return 0.8 <= announced / followed <= 1.25


def rater(load: float, play: float, work: dict[str, int], rng: Random) -> tuple[float, float]:
    """Return how long one waits for the first clip and for all, second by second: a line and a person, no formula."""
    come, tick = [0.0] * work["trials"], 0.02
    trial, busy, waited, first = 0, 0.0, 0.0, 0.0
    while trial < work["trials"]:
        wanted = [trial] if (trial + 1) % work["size"] == 0 else [trial, min(trial + 1, work["trials"] - 1)]
        loading = next((each for each in wanted if come[each] < load), None)
        if loading is not None:
            come[loading] += tick
        if busy > 0:
            busy -= tick
            trial += busy <= 0
        elif come[trial] >= load:
            first = first or waited
            busy = play + work["answering"] * rng.uniform(0.7, 1.3)
        else:
            waited += tick
    return first, waited


@pytest.mark.parametrize("answering", [45, 24, 8])
def test_the_waits_that_are_announced_are_those_that_follow(page: Page, answering: int) -> None:
    begin(page, make_study())
    work = {"trials": 30, "size": 10, "clips": 1, "answering": answering}
    for throughput in (15_000, 50_000, 200_000, 1_000_000):
        for play in (3, 10, 60):
            load = 0.2 + 96_000 * play / throughput
            announced = page.evaluate(WAITS, [{"load": load, "play": play}, work])
            first, whole = rater(load, play, work, Random(1))
            assert is_in_proportion(announced["first"], first), (throughput, play)
            assert is_in_proportion(announced["first"] + announced["later"], whole), (throughput, play)


@pytest.mark.slow
def test_on_a_real_line_the_page_says_as_much_as_follows(page: Page, line: Line) -> None:
    """Clips of 3 s that take 40 s to load, and 24 s to answer each."""
    study = kinds.make("acr", now=timezone.now(), seconds=3.0, protocol__flawed_traps=0, protocol__human_traps=0)
    samples = bytes(2 * 48_000 * 3)
    wav = header(len(samples), 48_000, 1) + samples
    Clip.objects.update(rendition=storage.put("renditions", wav), rendition_bytes=len(wav))
    page.add_init_script(WATCH)
    open_instructions(page, study)
    line.carry(7_200)
    page.get_by_role("button", name="Start").click()
    in_state(page, "line")
    announced = re.search(r"about (\d+) s in all", page.locator("[data-later]").inner_text())
    assert announced is not None
    page.get_by_role("button", name="Continue", exact=True).click()
    for number in range(2):
        expect(page.locator("#trial")).to_have_attribute("data-state", "ready", timeout=120_000)
        listen(page)
        page.get_by_role("radio").first.check()
        page.wait_for_timeout(1000 * study.definition.kind.seconds_a_clip(study.definition.params))
        if number == 0:
            save(page)
            expect(page.locator("#where")).to_contain_text("2 of 2")
    followed = page.evaluate("waited()")
    assert is_in_proportion(float(announced[1]), followed), (announced[1], followed)


def test_a_fast_line_with_a_long_way_is_not_called_slow(page: Page, line: Line) -> None:
    study = make_study(seconds=120.0, protocol__playback="record")
    line.carry(1_000_000, latency=600)
    open_trial(page, study)
    expect(page.locator("#trial")).to_have_attribute("data-state", re.compile("loading|ready"))
    in_state(page, "ready")
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()


def test_whoever_goes_away_comes_back_to_the_first_clip_on_a_better_line(page: Page, line: Line) -> None:
    study = make_study(seconds=SECONDS, protocol__batches_per_session=1)
    line.carry(SLOW)
    address = open_trial(page, study)
    in_state(page, "line")
    expect(page.get_by_text("open the study’s link again when your connection is better")).to_be_visible()
    page.goto("about:blank")
    line.carry(-1)
    page.goto(address)
    in_state(page, "ready")
    expect(page.get_by_role("heading", name=HEADING)).to_be_hidden()
    expect(page.locator("#where")).to_contain_text("Clip 1 of 3")
    assert Session.objects.get().outcome == ""
