"""Clips come in as people have them: a folder of loose files, a ZIP without a manifest, a table with other columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from playwright.sync_api import Page, Route, expect

from accounts.models import User
from core import clock
from studies.models import Clip, Study
from tests import audio
from tests.browser.looking import look
from tests.browser.test_researcher import Worker, log_in
from tests.browser.test_researcher import worker as worker
from tests.researchers import url
from tests.world import make_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
TABLE = "Check the table"
SEND = re.compile(r"^Import( \d+ clips)?$")


@pytest.fixture
def study(page: Page) -> Study:
    made = make_study(now=clock.now(), launch=False)
    Clip.objects.filter(study=made).delete()
    log_in(page, url("clips", made.slug))
    Study.objects.filter(pk=made.pk).update(owner=User.objects.get(username="rita"))
    page.goto(url("clips", made.slug))
    return made


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def clips(study: Study) -> set[tuple[str, str, str, str]]:
    rows = Clip.objects.filter(study=study).values_list("file", "system__name", "role", "text__name")
    return {(file, system, role, text or "") for file, system, role, text in rows}


def test_a_folder_becomes_a_table_that_is_corrected_and_imported(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    names = ["human/1.wav", "human/2.wav", "aldr/1.wav", "aldr/2.wav", "trap_flawed/9.wav", "new/1.wav"]
    folder = lay(tmp_path / "clips", {name: audio.wav(0.3 + index / 50) for index, name in enumerate(names)})
    (folder / "notes.txt").write_text("none of it sounds")
    page.get_by_label("Choose folder").set_input_files(folder)
    expect(page.get_by_role("heading", name=TABLE)).to_be_focused()
    expect(page.get_by_text("Clips: 6. Systems: 4.")).to_be_visible()
    assert look(page) == []

    systems = page.get_by_role("group", name=TABLE).locator("[data-part=groups] input")
    expect(systems).to_have_count(4)
    wrong = systems.nth(next(i for i in range(4) if systems.nth(i).input_value() == "aldr"))
    wrong.fill("alder")
    wrong.press("Enter")
    # One change too many is undone.
    page.locator("[data-part=groups] select").first.select_option("training")
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("All clips", exact=True).click()
    page.get_by_label("Text ID: clips/new/1.wav").fill("3")
    page.get_by_label("Text ID: clips/new/1.wav").press("Enter")
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("6 clips were added.")).to_be_visible()
    assert clips(study) == {
        ("clips/human/1.wav", "human", "test", "1"),
        ("clips/human/2.wav", "human", "test", "2"),
        ("clips/aldr/1.wav", "alder", "test", "1"),
        ("clips/aldr/2.wav", "alder", "test", "2"),
        ("clips/trap_flawed/9.wav", "flawed", "trap_flawed", "9"),
        ("clips/new/1.wav", "new", "test", "3"),
    }


def test_a_zip_without_a_manifest_and_one_whose_files_tell_no_system(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    (tmp_path / "clips.zip").write_bytes(audio.zipped({"one.wav": audio.wav(0.3), "two.wav": audio.wav(0.4)}))
    page.get_by_label("Choose files").set_input_files(tmp_path / "clips.zip")
    field = page.locator("[data-part=groups] input")
    expect(field).to_have_value("")
    page.get_by_role("button", name=SEND).click()
    # Nothing is sent while a system is missing, and the field says so.
    expect(field).to_be_focused()
    field.fill("alder")
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("2 clips were added.")).to_be_visible()
    assert clips(study) == {("one.wav", "alder", "test", "one"), ("two.wav", "alder", "test", "two")}


def test_columns_of_another_table_are_read_as_what_they_mean_or_as_one_chooses(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    table = "file_name,transcription,model,tts,mos\na/1.wav,Good evening,alder,birch,4\nb/gone.wav,x,y,z,1\n"
    contents = {"train/a/1.wav": audio.wav(0.3), "train/a/2.wav": audio.wav(0.4), "metadata.csv": table.encode()}
    folder = lay(tmp_path / "set", contents)
    page.get_by_label("Choose folder").set_input_files(folder)
    expect(page.get_by_text("Files in metadata.csv that are not here: 1 (b/gone.wav)")).to_be_visible()
    expect(
        page.get_by_text("Files that are not in metadata.csv and are left out: 1 (set/train/a/2.wav)")
    ).to_be_visible()
    expect(page.locator("[data-part=groups] input")).to_have_value("alder")
    page.get_by_text("Columns of metadata.csv").click()
    page.get_by_label("Meaning of model").select_option("(ignored)")
    expect(page.get_by_label("Meaning of model")).to_have_value("")
    page.get_by_label("Meaning of tts").select_option("system")
    expect(page.locator("[data-part=groups] input")).to_have_value("birch")
    assert look(page) == []
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("1 clip was added.")).to_be_visible()
    clip = Clip.objects.select_related("text").get(study=study)
    assert (clip.file, clip.text.body if clip.text else "") == ("set/train/a/1.wav", "Good evening")


def test_a_column_is_shown_with_values_kept_as_it_is_or_taken_for_a_known_one(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    rows = [("1.wav", "alder", "p1", "4"), ("2.wav", "alder", "p2", "3"), ("3.wav", "birch", "p3", "5")]
    table = "file_name,systemname,text_no,MOS\n" + "".join(f"{','.join(row)}\n" for row in rows)
    files = {row[0]: audio.wav(0.3 + index / 50) for index, row in enumerate(rows)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {**files, "metadata.csv": table.encode()}))
    page.get_by_text("Columns of metadata.csv").click()
    expect(page.get_by_role("row", name="MOS").get_by_text("4 · 3 · 5")).to_be_visible()
    page.get_by_role("button", name="Did you mean System?").click()
    expect(page.get_by_label("Meaning of systemname")).to_have_value("system")
    page.get_by_label("Meaning of MOS").select_option("Keep as an extra column")
    expect(page.get_by_text("Reading the names")).to_be_hidden()
    assert look(page) == []
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("3 clips were added.")).to_be_visible()
    found = Clip.objects.filter(study=study).order_by("file").values_list("system__name", "extra")
    assert list(found) == [("alder", {"mos": "4"}), ("alder", {"mos": "3"}), ("birch", {"mos": "5"})]


def test_of_two_readings_of_the_names_one_is_chosen(page: Page, study: Study, tmp_path: Path) -> None:
    names = [f"{one}/{other}.wav" for one in ("alder", "birch") for other in ("hello", "river")]
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {name: audio.wav(0.3) for name in names}))
    expect(page.get_by_text("set/alder/hello.wav has the system alder and the text hello.")).to_be_visible()
    page.get_by_role("button", name="text/system").click()
    systems = page.locator("[data-part=groups] input")
    expect(systems.first).to_have_value("hello")
    expect(systems).to_have_count(2)
    expect(page.get_by_role("button", name="text/system")).to_be_hidden()


def test_each_part_of_the_names_has_a_menu_and_systems_and_texts_are_swapped_by_a_click(
    page: Page, study: Study, tmp_path: Path
) -> None:
    spoken = [f"{voice}_{text}" for voice in ("p225", "p226") for text in ("001", "002")]
    names = [f"{system}/{name}.wav" for system in ("alder", "birch", "cedar") for name in spoken]
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {name: audio.wav(0.3) for name in names}))
    menus = page.get_by_role("group", name="What the names say").get_by_role("combobox")
    expect(menus).to_have_count(3)
    assert [menu.input_value() for menu in menus.all()] == ["system", "speaker", "text"]
    assert look(page) == []
    systems = page.locator("[data-part=groups] input")
    page.get_by_role("button", name="Swap systems and texts").click()
    expect(systems.first).to_have_value("001")
    assert [menu.input_value() for menu in menus.all()] == ["text", "speaker", "system"]
    # A meaning that another part has is exchanged with it.
    menus.first.select_option("system")
    expect(systems.first).to_have_value("alder")
    menus.nth(1).select_option("ignore")
    page.get_by_text("All clips", exact=True).click()
    expect(page.get_by_label("Voice: set/alder/p225_001.wav")).to_be_hidden()


def test_a_row_can_be_left_out_and_the_button_says_what_it_will_do(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    names = ["human/1.wav", "human/2.wav", "alder/1.wav"]
    files = {name: audio.wav(0.3 + index / 50) for index, name in enumerate(names)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
    expect(page.get_by_role("button", name="Import 3 clips")).to_be_enabled()
    page.get_by_text("All clips", exact=True).click()
    for name in names:
        page.get_by_label(f"Import set/{name}").uncheck()
    expect(page.get_by_role("button", name="Import 0 clips")).to_be_disabled()
    for name in names[1:]:
        page.get_by_label(f"Import set/{name}").check()
    page.get_by_role("button", name="Import 2 clips").click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("2 clips were added.")).to_be_visible()
    assert {file for file, *_rest in clips(study)} == {"set/human/2.wav", "set/alder/1.wav"}


def test_a_table_that_arrives_after_a_newer_one_is_not_shown(page: Page, study: Study, tmp_path: Path) -> None:
    contents = {"1.wav": audio.wav(0.3), "metadata.csv": b"file_name,model,tts\n1.wav,alder,birch\n"}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", contents))
    systems = page.locator("[data-part=groups] input")
    expect(systems).to_have_value("alder")
    page.get_by_text("Columns of metadata.csv").click()
    held: list[Route] = []
    page.route("**/clips/table/", lambda route: held.append(route))
    page.get_by_label("Meaning of model").select_option("(ignored)")
    page.get_by_label("Meaning of tts").select_option("system")
    while len(held) < 2:
        page.wait_for_timeout(10)
    older, newer = held
    newer.continue_()
    expect(systems).to_have_value("birch")
    with page.expect_response("**/clips/table/"):
        older.continue_()
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    expect(systems).to_have_value("birch")


def test_nothing_can_be_sent_before_its_table_is_there(page: Page, study: Study, tmp_path: Path) -> None:
    held: list[Route] = []
    page.route("**/clips/table/", lambda route: held.append(route))
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", {"human/1.wav": audio.wav(0.5)}))
    expect(page.get_by_text("Reading the names")).to_be_visible()
    expect(page.get_by_role("button", name=SEND)).to_be_disabled()
    held[0].continue_()
    expect(page.get_by_role("button", name=SEND)).to_be_enabled()


def test_a_manifest_that_is_chosen_while_its_archive_is_read_is_the_table(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    page.evaluate("""() => {
        const read = Blob.prototype.arrayBuffer;
        const mayRead = new Promise((done) => Object.assign(globalThis, { release: done }));
        Blob.prototype.arrayBuffer = async function () { await mayRead; return read.call(this); };
    }""")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (tmp_path / "clips.zip").write_bytes(audio.zipped({"one.wav": audio.wav(0.3)}))
    (tmp_path / "manifest.csv").write_bytes(
        audio.manifest([{"file": "one.wav", "system": "alder", "role": "test", "text_id": "1"}])
    )
    page.get_by_text("ZIP and manifest").click()
    page.get_by_label("Archive of audio files").set_input_files(tmp_path / "clips.zip")
    page.get_by_label("Manifest (CSV)").set_input_files(tmp_path / "manifest.csv")
    page.evaluate("() => new Promise((done) => { release(); setTimeout(done, 100); })")
    assert asked == [], "no table is proposed"
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("1 clip was added.")).to_be_visible()
    assert clips(study) == {("one.wav", "alder", "test", "1")}


def test_files_that_are_no_audio_are_refused_in_words(page: Page, study: Study, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    page.get_by_label("Choose files").set_input_files(tmp_path / "notes.txt")
    expect(page.get_by_text("None of these files is audio.")).to_be_visible()
    expect(page.get_by_role("heading", name=TABLE)).to_be_hidden()


def test_a_folder_of_the_store_becomes_a_table(page: Page, study: Study, worker: Worker) -> None:
    for name in ("human/1.wav", "alder/1.wav", "trap_flawed/9.wav"):
        default_storage.save(f"incoming/pilot set/{name}", ContentFile(audio.wav(0.5)))
    page.get_by_text("Clips that are already on the server").click()
    expect(page.locator("#folders option")).to_have_count(1)
    field = page.get_by_label("Folder in the store")
    field.fill("pilot set")
    field.press("Tab")
    expect(page.get_by_text("Clips: 3. Systems: 3.")).to_be_visible()
    assert look(page) == []
    systems = page.get_by_role("group", name=TABLE).locator("[data-part=groups] input")
    systems.nth(0).fill("alder 2")
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("3 clips were added.")).to_be_visible()
    assert {(file, system) for file, system, _role, _text in clips(study)} >= {("trap_flawed/9.wav", "flawed")}
    assert Clip.objects.filter(study=study, system__name="alder 2").count() == 1


def test_a_folder_that_was_interrupted_continues_after_the_page_was_loaded_again(
    page: Page, study: Study, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.uploads.services.PART_BYTES", 20_000)
    names = [f"{system}/{text}.wav" for system in ("human", "alder") for text in range(4)]
    folder = lay(tmp_path / "set", {name: audio.wav(0.3 + index / 50) for index, name in enumerate(names)})
    sent: list[str] = []
    page.on("requestfinished", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    page.route("**/parts/4/", lambda route: route.abort("internetdisconnected"))
    page.get_by_label("Choose folder").set_input_files(folder)
    page.get_by_role("button", name=SEND).click()
    expect(page.get_by_text("The connection was lost. The upload continues automatically.")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_text("was interrupted. Choose the same files again: only the rest is sent.")).to_be_visible()
    assert look(page) == []
    page.unroute("**/parts/4/")
    page.get_by_label("Choose folder").set_input_files(folder)
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("8 clips were added.")).to_be_visible()
    assert len(sent) == len(set(sent)), "no part is sent twice"


def test_whoever_is_signed_out_while_sending_signs_in_in_another_tab_and_the_files_go_on(
    page: Page, study: Study, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.uploads.services.PART_BYTES", 20_000)
    files = {"human/1.wav": audio.wav(1.0), "alder/1.wav": audio.wav(2.0)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
    expect(page.get_by_text("Clips: 2. Systems: 2.")).to_be_visible()

    def sign_out(route: Route) -> None:
        page.context.clear_cookies()
        route.abort("internetdisconnected")

    page.route("**/parts/3/", sign_out, times=1)
    page.get_by_role("button", name=SEND).click()
    expect(page.get_by_text("You were signed out.")).to_be_visible()
    tab = page.context.new_page()
    tab.goto(page.url)
    tab.get_by_label("Username").fill("rita")
    tab.get_by_label("Password").fill("pw")
    tab.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("2 clips were added.")).to_be_visible()


def test_after_a_refused_table_the_files_are_used_again_without_sending_them(
    page: Page, study: Study, worker: Worker, tmp_path: Path
) -> None:
    files = {"human/1.wav": audio.wav(0.5), "alder/1.wav": audio.wav(0.6)}
    page.get_by_label("Choose folder").set_input_files(lay(tmp_path / "set", files))
    system = page.locator("[data-part=groups] input").first
    system.fill("x" * 300)
    system.press("Enter")
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url("**/imports/*/")
    worker.work()
    expect(page.get_by_text("Nothing was imported. 1 problem to fix:")).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    expect(page.get_by_text("was sent and need not be sent again.")).to_be_visible()
    page.get_by_role("button", name="Use it").click()
    # The table is the one that was corrected.
    expect(system).to_have_value("x" * 300)
    system.fill("alder")
    system.press("Enter")
    page.get_by_role("button", name=SEND).click()
    expect(page.get_by_text("waiting to start")).to_be_visible()
    worker.work()
    expect(page.get_by_text("2 clips were added.")).to_be_visible()
    assert sent == []
