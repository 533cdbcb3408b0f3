"""Files move between stores while they are read, and nothing is deleted before its copy is proved."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.test import Client

from core import clock
from core.errors import Conflict, Invalid, StoreAway
from core.files import moving, storage, stores
from core.hooks import StoredFile
from core.operations import health
from raters.simulation.simulated_sessions import simulate
from studies.models import Clip, Study
from tests.buckets import folder, names, side_by_side, store
from tests.world import Person, audio_url, carry, make_study

pytestmark = [pytest.mark.s3, pytest.mark.django_db]


@pytest.fixture
def both(settings: Any, tmp_path: Path, buckets: Any, endpoint: str) -> Any:
    """Keep files in a folder, with a bucket beside it."""
    side_by_side(settings, "folder", folder=folder(tmp_path / "files"), s3=store("earshot-tests", endpoint))
    return buckets


@pytest.fixture
def study(both: Any) -> Study:
    """A study of three clips, each with files of its own."""
    made = make_study(now=clock.now(), texts=24)
    for clip in Clip.objects.filter(study=made)[:3]:
        sound = storage.open_file(clip.rendition).read()
        clip.original, clip.sha256 = storage.put("clips", sound), hashlib.sha256(sound).hexdigest()
        clip.save()
    shared = Clip.objects.filter(study=made, original=Clip.objects.filter(study=made).last().original)  # type: ignore[union-attr]
    shared.update(sha256=hashlib.sha256(sound).hexdigest())
    return made


def files_in(name: str) -> set[str]:
    return {file.name for file in stores.everything(storages[name])}


def test_a_study_moves_to_a_bucket_and_back_and_is_served_all_the_while(study: Study, both: Any, capsys: Any) -> None:
    person = Person(study, clock.now()).start()
    client: Client = carry(person)
    heard = b"".join(client.get(audio_url(person)))
    before = files_in("folder")
    assert len(before) == 4
    call_command("move_store", study.slug, to="s3", keep=True)
    assert (files_in("folder"), files_in("s3")) == (before, before)
    call_command("move_store", study.slug, to="s3")
    assert (files_in("folder"), files_in("s3")) == (set(), before)
    assert b"".join(client.get(audio_url(person))) == heard
    call_command("move_store", study.slug, to="folder")
    assert (files_in("folder"), files_in("s3")) == (before, set())
    assert b"".join(client.get(audio_url(person))) == heard
    assert capsys.readouterr().out.splitlines() == [
        "4 files copied (0.0 MB), 0 existed already, 0 deleted elsewhere",
        "0 files copied (0.0 MB), 4 existed already, 4 deleted elsewhere",
        "4 files copied (0.0 MB), 0 existed already, 4 deleted elsewhere",
    ]
    assert simulate(study_id=study.pk, raters=2, seed=5, careless=0.0, now=clock.now())


def test_everything_moves_from_bucket_to_bucket(
    settings: Any, buckets: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_by_side(settings, "s3", s3=store("earshot-tests", endpoint), former=store("earshot-others", endpoint))
    there = [stores.members()["former"].save(f"exports/ab/{number}", ContentFile(b"x")) for number in range(3)]
    call_command("move_store", all=True, to="s3")
    assert names(buckets) == [], "they may be half written, and rows on their way"
    later = clock.now() + timedelta(hours=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    call_command("move_store", all=True, to="s3")
    assert names(buckets) == there
    assert names(buckets, "earshot-others") == []


def test_two_names_of_one_bucket_are_no_two_stores(settings: Any, buckets: Any, endpoint: str) -> None:
    one, again = store("earshot-tests", endpoint), store("earshot-tests", endpoint)
    side_by_side(settings, "s3", s3=one, former=again)
    name = storage.put("clips/1", b"sound")
    for target in ("s3", "former"):
        with pytest.raises(Invalid, match="is another one under a second name"):
            moving.move(files=[StoredFile(name, "a clip")], to=target, keep=False, clock=clock.now)
    assert names(buckets) == [name]


@pytest.mark.parametrize("is_copied_first", [False, True])
def test_what_is_deleted_while_it_is_copied_does_not_come_back(
    study: Study, both: Any, monkeypatch: pytest.MonkeyPatch, is_copied_first: bool
) -> None:
    clip, real = Clip.objects.filter(study=study).exclude(original__startswith="renditions/")[0], stores.place

    def place(target: Any, name: str, content: Any) -> None:
        if name == clip.original and not is_copied_first:
            storage.discard(name)
        real(target, name, content)
        if name == clip.original and is_copied_first:
            storage.discard(name)

    monkeypatch.setattr(stores, "place", place)
    call_command("move_store", study.slug, to="s3")
    assert not storage.default_storage.exists(clip.original)
    assert len(files_in("s3")) == 3


def test_a_file_that_grows_while_it_is_copied_stays(
    study: Study, both: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, real = storage.put("exports", b"half"), stores.place

    def place(target: Any, name: str, content: Any) -> None:
        real(target, name, content)
        if name.startswith("exports/"):
            with (tmp_path / "files" / name).open("ab") as file:
                file.write(b" and the rest")

    monkeypatch.setattr(stores, "place", place)
    moved = moving.move(files=[StoredFile(name, "an export")], to="s3", keep=False, clock=clock.now)
    assert moved.troubles == [f"an export ({name}) is still being written; it stays."]
    assert name in files_in("folder") - files_in("s3")


def test_a_move_whose_lease_another_took_deletes_nothing_more(
    study: Study, both: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real = files_in("folder"), stores.place

    def place(*arguments: Any) -> None:
        real(*arguments)
        Session.objects.filter(pk=moving.ROW).update(session_data="another's")

    monkeypatch.setattr(stores, "place", place)
    with pytest.raises(CommandError, match="Another move has started"):
        call_command("move_store", study.slug, to="s3")
    assert files_in("folder") == before
    assert Session.objects.filter(pk=moving.ROW, session_data="another's").exists()


def test_a_former_store_that_may_only_be_read_is_not_asked_to_delete(
    settings: Any, buckets: Any, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_by_side(settings, "s3", s3=store("earshot-tests", endpoint), former=store("earshot-others", endpoint))
    former: Any = stores.members()["former"]
    kept = former.save("clips/ab/old", ContentFile(b"x"))

    def refuse(name: str) -> None:
        raise StoreAway("An error occurred (AccessDenied) when calling the DeleteObject operation")

    monkeypatch.setattr(former, "delete", refuse)
    health.files()
    assert names(buckets) == []
    with pytest.raises(StoreAway):
        storage.discard(kept)


def test_what_was_interrupted_is_taken_up_where_it_stopped(
    study: Study, both: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real, number = files_in("folder"), stores.place, iter(range(100))

    def place(*arguments: Any) -> None:
        if next(number) == 3:
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(stores, "place", place)
    with pytest.raises(KeyboardInterrupt):
        call_command("move_store", study.slug, to="s3")
    assert files_in("folder") == before
    assert len(files_in("s3")) == 2
    monkeypatch.undo()
    call_command("move_store", study.slug, to="s3")
    assert (files_in("folder"), files_in("s3")) == (set(), before)


def test_a_damaged_file_stays_where_it_is_and_the_rest_moves(
    study: Study, both: Any, tmp_path: Path, capsys: Any
) -> None:
    bad = Clip.objects.filter(study=study).exclude(original__startswith="renditions/")[0]
    (tmp_path / "files" / bad.original).write_bytes(b"spoiled")
    with pytest.raises(CommandError, match="1 files were not moved"):
        call_command("move_store", study.slug, to="s3")
    assert files_in("folder") == {bad.original}
    assert len(files_in("s3")) == 3
    assert (
        f"the original of clip {bad.pk} ({bad.original}) does not have the expected SHA-256" in capsys.readouterr().err
    )


def test_a_copy_that_differs_deletes_neither(study: Study, both: Any) -> None:
    clip = Clip.objects.filter(study=study).exclude(original__startswith="renditions/")[0]
    both.put_object(Bucket="earshot-tests", Key=clip.original, Body=b"another")
    with pytest.raises(CommandError):
        call_command("move_store", study.slug, to="s3")
    assert clip.original in files_in("folder") & files_in("s3")


def test_a_file_that_no_store_has_is_named(study: Study, both: Any, capsys: Any) -> None:
    clip = Clip.objects.filter(study=study).exclude(original__startswith="renditions/")[0]
    storage.discard(clip.original)
    with pytest.raises(CommandError):
        call_command("move_store", study.slug, to="s3")
    assert f"the original of clip {clip.pk} ({clip.original}) is in no store." in capsys.readouterr().err


def test_a_target_that_cannot_be_written_is_refused_with_a_sentence(
    settings: Any,
    study: Study,
    tmp_path: Path,
    endpoint: str,
) -> None:
    side_by_side(settings, "folder", folder=folder(tmp_path / "files"), s3=store("earshot-gone", endpoint))
    before = files_in("folder")
    with pytest.raises(CommandError, match=r"The store 's3' can't be written: .*bucket does not exist"):
        call_command("move_store", study.slug, to="s3")
    with pytest.raises(CommandError, match="There is no store 'former' among folder, s3"):
        call_command("move_store", study.slug, to="former")
    with pytest.raises(CommandError, match="Name one study, or use --all"):
        call_command("move_store", to="s3")
    assert files_in("folder") == before


def test_two_moves_never_run_at_once(study: Study, both: Any) -> None:
    with moving.alone(clock.now), pytest.raises(CommandError, match="Another move is under way"):
        call_command("move_store", study.slug, to="s3")
    call_command("move_store", study.slug, to="s3")
    with moving.alone(clock.now), pytest.raises(Conflict), moving.alone(clock.now):
        raise AssertionError("both were let in")


def test_a_reader_finds_a_file_that_moves_between_its_looks(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = stores.members()["s3"].save("clips/ab/moving", ContentFile(b"sound"))
    s3 = stores.members()["s3"]
    real = s3.open

    def gone(*arguments: Any) -> Any:
        # Just before the second store is asked, the file arrives in the first and leaves the second.
        stores.place(stores.members()["folder"], name, real(name))
        s3.delete(name)
        raise FileNotFoundError(name)

    monkeypatch.setattr(s3, "open", gone)
    with storage.open_file(name) as file:
        assert file.read() == b"sound"


def test_one_store_alone_has_nowhere_to_move_to(tmp_path: Path, settings: Any) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": folder(tmp_path)}
    with pytest.raises(Invalid, match="There is no store"):
        moving.move(files=[StoredFile("clips/ab/x", "x")], to="s3", keep=False, clock=clock.now)
