"""The proposed table of dropped clips: listen, use files, combine tables, replace clips."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from studies.models import Clip, Study
from tests import audio
from tests.browser.looking import look
from tests.browser.test_loose_clips import SEND, clips, lay
from tests.browser.test_loose_clips import study as study
from tests.browser.test_researcher import Worker
from tests.browser.test_researcher import worker as worker
from tests.studies.imports.helpers import draft

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def test_clips_are_heard_before_they_are_sent_and_one_at_a_time(page: Page, study: Study, tmp_path: Path) -> None:
    files = {"human/1.wav": audio.wav(60.0), "alder/1.wav": audio.wav(60.0), "alder/2.wav": audio.wav(0.3)}
    folder = lay(tmp_path / "set", {**files, "alder/3.wav": b"no sound"})
    requests: list[str] = []
    page.get_by_label("Choose folder").set_input_files(folder)
    expect(page.get_by_text("Clips: 4. Systems: 2.")).to_be_visible()
    page.on("request", lambda request: requests.append(request.url) if request.url.startswith("http") else None)
    page.get_by_text("All clips", exact=True).click()
    rows = page.locator("[data-part=rows]")
    rows.get_by_role("button", name="Play set/human/1.wav").click()
    expect(rows.get_by_role("button", name="Stop set/human/1.wav")).to_be_visible()
    page.locator("[data-part=groups]").get_by_role("button", name="Play set/alder/1.wav").click()
    expect(rows.get_by_role("button", name="Play set/human/1.wav")).to_be_visible()
    expect(page.get_by_role("button", name="Stop set/alder/1.wav")).to_have_count(1)
    page.get_by_role("button", name="Stop set/alder/1.wav").click()
    expect(page.get_by_role("button", name="Stop set")).to_have_count(0)
    # It ends.
    rows.get_by_role("button", name="Play set/alder/2.wav").click()
    expect(rows.get_by_role("button", name="Stop set/alder/2.wav")).to_be_visible()
    expect(rows.get_by_role("button", name="Play set/alder/2.wav")).to_be_visible()
    rows.get_by_role("button", name="Play set/alder/3.wav").click()
    expect(rows.get_by_role("button", name="This browser can’t play set/alder/3.wav.")).to_be_disabled()
    assert requests == []
    assert look(page) == []


def test_whoever_dropped_a_folder_reads_nothing_of_archives_and_manifests(
    page: Page, study: Study, tmp_path: Path
) -> None:
    words = re.compile("zip|manifest", re.IGNORECASE)
    expect(page.locator("main")).to_contain_text(words)
    files = {"human/1.wav": audio.wav(0.3), "alder/1.wav": audio.wav(0.4)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
    assert not words.search(page.locator("main").inner_text())
    assert look(page) == []
    (tmp_path / "clips.zip").write_bytes(audio.zipped(files))
    page.get_by_label("Choose files").set_input_files(tmp_path / "clips.zip")
    expect(page.get_by_text("ZIP and manifest")).to_be_visible()


def test_a_study_with_questions_still_takes_them(page: Page, study: Study, tmp_path: Path) -> None:
    Study.objects.filter(pk=study.pk).update(draft=draft("sp-mcqa"))
    page.reload()
    files = {"human/1.wav": audio.wav(0.3), "alder/1.wav": audio.wav(0.4)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
    page.locator("[data-lists] summary").get_by_text("Questions", exact=True).click()
    expect(page.get_by_label(re.compile(r"^Questions \(CSV\)"))).to_be_visible()
    expect(page.get_by_label("Archive of audio files")).to_be_hidden()
    expect(page.get_by_label("Manifest (CSV)")).to_be_hidden()
    assert look(page) == []


def test_clips_in_a_zip_have_nothing_to_play(page: Page, study: Study, tmp_path: Path) -> None:
    (tmp_path / "clips.zip").write_bytes(audio.zipped({"human/1.wav": audio.wav(0.3), "a/1.wav": audio.wav(0.4)}))
    page.get_by_label("Choose files").set_input_files(tmp_path / "clips.zip")
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_have_count(0)


def test_a_file_that_is_meant_or_not_named_is_used_at_its_row(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    table = b"file,system,text_id\n1.wav,alder,one\n2.wav,birch,two\ngone.wav,birch,three\n"
    files = {name: audio.wav(0.3 + index / 50) for index, name in enumerate(["001.wav", "2.wav", "spare.wav"])}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {**files, "metadata.csv": table}))
    expect(page.get_by_text("This file is not here. set/001.wav may be meant.")).to_be_visible()
    lines = page.locator("tr.problem")
    expect(lines).to_have_count(3)
    assert look(page) == []
    lines.get_by_role("button", name="Use this file: set/001.wav").click()
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
    expect(page.get_by_label("Text ID: set/001.wav")).to_have_value("one")
    expect(page.get_by_label("Import set/001.wav")).to_be_focused()
    lines.get_by_role("button", name="Use this file: set/spare.wav").click()
    expect(lines).to_have_count(1)
    expect(lines.get_by_role("button")).to_have_count(0)
    page.get_by_label("System: set/spare.wav").last.fill("cedar")
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("3 clips were added.")).to_be_visible()
    assert clips(study) == {
        ("set/001.wav", "alder", "test", "one"),
        ("set/2.wav", "birch", "test", "two"),
        ("set/spare.wav", "cedar", "test", "spare"),
    }


def test_several_tables_are_combined_as_they_are_ticked(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    tables = {
        "train.csv": b"file,model\n1.wav,alder\n2.wav,alder\n",
        "test.csv": b"file,model\n3.wav,birch\n",
        "texts.csv": b"text_id,text\n1,Good morning.\n3,Good night.\n",
    }
    files = {f"{number}.wav": audio.wav(0.3 + number / 50) for number in (1, 2, 3)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {**files, **tables}))
    expect(page.get_by_text("Clips: 3. Systems: 2.")).to_be_visible()
    choice = page.get_by_role("group", name="Tables that are read")
    expect(choice.get_by_role("checkbox", checked=True)).to_have_count(3)
    assert look(page) == []
    choice.get_by_label("set/test.csv").uncheck()
    expect(page.get_by_text("Clips: 2. Systems: 1.")).to_be_visible()
    expect(choice.get_by_label("set/test.csv")).to_be_focused()
    choice.get_by_label("set/test.csv").check()
    expect(page.get_by_text("Clips: 3. Systems: 2.")).to_be_visible()
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("3 clips were added.")).to_be_visible()
    found = Clip.objects.filter(study=study).order_by("file").values_list("system__name", "text__body")
    assert list(found) == [("alder", "Good morning."), ("alder", ""), ("birch", "Good night.")]


def test_clips_that_are_here_are_replaced_if_one_says_so(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    for seconds in (0.3, 0.6):
        files = {"human/1.wav": audio.wav(seconds), "alder/1.wav": audio.wav(seconds + 0.1)}
        page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
        expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()
        # An empty study has nothing to replace.
        if Clip.objects.filter(study=study).exists():
            page.get_by_label("Replace it by the new one").check()
        assert look(page) == []
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url("**/imports/*/")
        worker.work()
        expect(page.get_by_text("2 clips were added.")).to_be_visible()
        page.get_by_role("link", name="All clips and imports").click()
    found = Clip.objects.filter(study=study, withdrawn_at=None).order_by("file").values_list("file", "duration")
    assert [(file, round(duration, 1)) for file, duration in found] == [
        ("set/alder/1.wav", 0.7),
        ("set/human/1.wav", 0.6),
    ]
