"""From an empty study to reviewed texts of five dimensions, lists of them, and clips that find their texts by name."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from core import clock
from studies.corpus import services
from studies.models import Clip, CorpusText, Member, Study, Text
from tests import audio
from tests.browser.looking import look
from tests.browser.steps import begin
from tests.browser.test_researcher import Worker, log_in
from tests.browser.test_researcher import worker as worker
from tests.researchers import researcher, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
TABLE = """text_id,text,language,dimension,box
code-01,My boss said “let’s circle back” again.,en,code_switching,white
emo-01,"Oh no, I did it again!",en,paralinguistics,black
old-01,Shall I compare thee to a summer’s day?,en,classical_chinese,white
poly-01,They read what I will read.,en,polyphones,black
"""


@pytest.fixture
def study(page: Page) -> Study:
    made = make_study(now=clock.now(), launch=False)
    Clip.objects.filter(study=made).delete()
    Text.objects.filter(study=made).delete()
    log_in(page, url("texts", made.slug))
    Study.objects.filter(pk=made.pk).update(owner=User.objects.get(username="rita"))
    page.goto(url("clips", made.slug))
    return made


def states() -> list[str]:
    return list(CorpusText.objects.order_by("name").values_list("state", flat=True))


def press_through(page: Page, said: str) -> None:
    """Press A on every text from the first: each time, the next one has the focus."""
    names = ["code-01", "emo-01", "num-01", "old-01", "poly-01"]
    for number, name in enumerate(names):
        page.keyboard.press("a")
        expect(page.get_by_text(said.format(name=name))).to_be_visible()
        expect(page.locator("[data-text]").nth(min(number + 1, len(names) - 1))).to_be_focused()


def test_many_texts_come_in_pages_that_keep_the_filters(page: Page, study: Study) -> None:
    for number in range(30):
        services.add(
            study=study, name=f"t{number:02}", values={"body": f"Sentence {number}."}, author=None, now=clock.now()
        )
    page.get_by_role("navigation", name="Pages of Clips").get_by_role("link", name="Texts").click()
    expect(page.locator("[data-text]")).to_have_count(25)
    page.get_by_label("State").select_option("draft")
    page.get_by_role("button", name="Show texts").click()
    page.get_by_role("navigation", name="Pages of texts").get_by_role("link", name="Next").click()
    expect(page.locator("[data-text]")).to_have_count(5)
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    expect(page.get_by_label("State")).to_have_value("draft")
    assert look(page) == []

    # From one draft to the next, over the pages, without a click.
    page.goto(url("texts", study.slug) + "?state=draft#review")
    for number in range(3):
        expect(page.locator("[data-text]").first).to_be_focused()
        page.keyboard.press("a")
        expect(page.get_by_text(f"t{number:02} was accepted.")).to_be_visible()
    rita = User.objects.get(username="rita")
    CorpusText.objects.exclude(name__in=("t24", "t28")).update(state="accepted", accepted_by=rita)
    # A text that I accepted waits for another person, and not for me.
    CorpusText.objects.filter(name="t07").update(accepted_by=researcher("ben"))
    page.goto(url("texts", study.slug) + "?state=accepted#review")
    expect(page.locator("[data-text]:focus")).to_contain_text("t07")
    CorpusText.objects.filter(name="t07").update(accepted_by=rita)
    page.goto(url("texts", study.slug))
    page.wait_for_load_state()
    page.locator("[data-text]").last.focus()
    page.keyboard.press("a")
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    expect(page.locator("[data-text]:focus")).to_contain_text("t28")


def test_texts_are_written_reviewed_by_two_listed_and_found_by_their_clips(
    page: Page, browser: Browser, live_server: object, study: Study, worker: Worker, tmp_path: Path
) -> None:
    page.get_by_role("navigation", name="Pages of Clips").get_by_role("link", name="Texts").click()
    expect(page.get_by_text("There are no texts yet.")).to_be_visible()
    assert look(page) == []
    page.get_by_label("Text id").fill("num-01")
    page.get_by_label("Text", exact=True).fill("It costs $5.")
    page.get_by_label("Dimension", exact=True).fill("special_characters")
    page.get_by_label("Style prompt").fill("calm")
    page.get_by_role("button", name="Add text").click()
    expect(page.get_by_text("The text num-01 was added as a draft.")).to_be_visible()

    page.get_by_label("Texts (CSV)").set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    )
    page.get_by_role("button", name="Check the table").click()
    expect(page.get_by_text("4 texts are new.")).to_be_visible()
    assert look(page) == []
    page.get_by_role("button", name="Import texts").click()
    expect(page.get_by_text("4 texts were added and 0 changed.")).to_be_visible()

    # One person edits and accepts all by keys; one rejection is undone.
    texts = page.locator("[data-text]")
    page.wait_for_load_state()
    texts.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    page.get_by_label("Reason (optional)").locator("visible=true").fill("too short")
    page.keyboard.press("Enter")
    expect(page.get_by_text("emo-01 was rejected.")).to_be_visible()
    expect(texts.nth(2)).to_be_focused()
    page.keyboard.press("u")
    expect(page.get_by_text("The review of emo-01 was undone.")).to_be_visible()
    expect(texts.nth(1)).to_be_focused()
    page.keyboard.press("e")
    field = page.locator("[data-edit]").get_by_label("Text", exact=True)
    expect(field).to_be_focused()
    field.fill("Oh no, I did it again! Ha!")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-edit]")).to_have_count(0)
    expect(texts.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    press_through(page, "{name} was accepted.")
    assert states() == ["accepted"] * 5
    assert look(page) == []
    expect(page.get_by_role("button", name="Cross-check")).to_have_count(0)

    # A second person cross-checks; the first sees the lists.
    Member.objects.create(study=study, user=researcher("ben"), role="editor", added_at=clock.now())
    context = browser.new_context(base_url=str(live_server))
    second = context.new_page()
    second.goto(url("texts", study.slug))
    second.get_by_label("Username").fill("ben")
    second.get_by_label("Password").fill("pw")
    second.get_by_role("button", name="Log in").click()
    expect(second.locator("[data-text]").first).to_be_visible()
    second.wait_for_load_state()
    second.locator("[data-text]").first.focus()
    press_through(second, "{name} was cross-checked.")
    second.close()
    context.close()
    page.reload()
    page.get_by_label("Systems, separated by commas").fill("human, alder")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the manifest (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert len(rows) == 10

    # Files with these names find their texts without a manifest.
    folder = tmp_path / "clips"
    for seed, row in enumerate(rows):
        (folder / row["file"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / row["file"]).write_bytes(audio.wav(0.4, seed=seed))
    page.goto(url("clips", study.slug))
    page.get_by_label("Choose folder").set_input_files(folder)
    page.get_by_text("All clips", exact=True).click()
    expect(page.get_by_label("Words of the text: clips/alder/emo-01.wav")).to_have_value("Oh no, I did it again! Ha!")
    expect(page.get_by_label("Box (white or black): clips/alder/emo-01.wav")).to_have_value("black")
    page.get_by_role("button", name="Import 10 clips").click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("10 clips were added.")).to_be_visible()
    clips = Clip.objects.filter(study=study, text__name="num-01").values_list("dimension", "text__body", "system__name")
    assert sorted(clips) == [
        ("special_characters", "It costs $5.", "alder"),
        ("special_characters", "It costs $5.", "human"),
    ]


def test_raters_see_the_context_of_each_clip_as_text(page: Page) -> None:
    study = make_study(now=clock.now(), seconds=0.5, protocol__show_context=True)
    turns = [{"speaker": "Anna", "text": "<b>Really?</b>"}, {"speaker": "", "text": "من فضلك"}]
    spoken = Text.objects.create(
        study=study, name="all", context={"style": "tired & slow", "turns": turns, "language": "ar"}
    )
    Text.objects.filter(study=study).update(context=spoken.context)
    Clip.objects.filter(study=study, text=None).update(text=spoken)
    begin(page, study)
    box = page.get_by_role("region", name="Before this clip")
    expect(box.get_by_text("<b>Really?</b>")).to_be_visible()
    expect(box.get_by_text("tired & slow")).to_be_visible()
    assert box.locator("dd").nth(1).evaluate("line => [line.dir, line.lang]") == ["auto", "ar"]
    assert look(page) == []
