"""An export's way to its download: what fails is said, what is old is deleted, what pays is left out."""

from __future__ import annotations

import errno
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports import files as tables
from analysis.exports.models import Export
from analysis.exports.source import Source
from core.files import storage
from core.jobs import DONE, FAILED, QUEUED
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text

CODES = {"completion_code": "PAIDWORK", "declined_code": "SAIDNO", "withdrawn_code": "LEFTEARLY"}


@pytest.fixture
def page(world: World) -> Client:
    """Return the browser of the study's owner."""
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    return logged_in(rita)


def asked(world: World, now: datetime, simulated: Simulated = Simulated.WITHOUT) -> Export:
    return building.request_export(study_id=world.study.pk, simulated=simulated, user=None, now=now)


def made(world: World, now: datetime, simulated: Simulated = Simulated.WITHOUT) -> Export:
    row = asked(world, now, simulated)
    assert building.build_export(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    return row


def stored(folder: Path) -> set[Path]:
    return {path for path in (folder / "exports").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("address", "exported"),
    [
        ("https://example.org/done?cc={code}", "https://example.org/done?cc={code}"),
        ("https://example.org/done?cc=PAIDWORK#PAIDWORK", "https://example.org"),
        ("", ""),
    ],
)
def test_no_file_of_an_export_holds_the_codes_that_raters_are_paid_by(
    files: Path, db: None, now: datetime, address: str, exported: str
) -> None:
    world = World(now, {"crowd__return_url": address} | {f"crowd__{name}": code for name, code in CODES.items()})
    world.crowd(3)
    folder = files / "out"
    manifest = tables.write(Source(world.study, Simulated.WITHOUT), folder)
    everything = b"".join(path.read_bytes() for path in folder.iterdir())
    for name, code in CODES.items():
        assert code.encode() not in everything
        assert any(name in note for note in manifest.notes)
    version = world.study.versions.get()
    assert version.definition["crowd"]["completion_code"] == "PAIDWORK"
    shown = json.loads((folder / "manifest.json").read_text())["versions"][0]
    assert shown["sha256"] == version.sha256
    crowd = shown["definition"]["crowd"]
    assert (crowd["source"], crowd["return_url"]) == ("prolific", exported)
    assert not [name for name in crowd if name.endswith("_code")]
    assert shown["definition"]["protocol"] == version.definition["protocol"]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no room left"),
        (PermissionError(errno.EACCES, "Permission denied"), "may not write"),
        (RuntimeError("secret path"), "RuntimeError"),
    ],
)
def test_what_fails_is_said_at_once_and_raised_for_the_log(
    world: World, now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    row = asked(world, now)

    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(building, "pack", fails)
    with pytest.raises(type(error)):
        building.build_export(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    assert (row.state, row.tries, row.file) == (FAILED, 1, "")
    assert says in row.error
    assert "secret" not in row.error
    assert stored(files) == set()


def test_a_file_whose_row_could_not_be_written_is_not_left_behind(
    world: World, now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = asked(world, now)
    real = building.jobs.finish

    def fails_once(job: Any, at: datetime, *, error: str = "", **fields: Any) -> bool:
        if not error:
            raise RuntimeError("the database went away")
        return real(job, at, error=error, **fields)

    monkeypatch.setattr(building.jobs, "finish", fails_once)
    with pytest.raises(RuntimeError):
        building.build_export(pk=row.pk, clock=lambda: now)
    assert stored(files) == set()


def test_a_failed_export_can_be_tried_again_from_its_page(page: Client, world: World, now: datetime) -> None:
    row = asked(world, now, Simulated.WITH)
    Export.objects.filter(pk=row.pk).update(state=FAILED, error="There is no room left.", ended_at=now)
    shown = page.get(reverse("analysis:export_detail", args=[world.study.slug, row.pk]))
    assert "There is no room left." in text(shown)
    assert "Try again" in text(shown)
    assert 'name="simulated" value="with"' in text(shown)
    sent = page.post(reverse("analysis:export", args=[world.study.slug]), {"simulated": "with"})
    again = Export.objects.get(state=QUEUED)
    assert sent.headers["Location"] == reverse("analysis:export_detail", args=[world.study.slug, again.pk])
    assert (again.simulated, again.created_by) == ("with", User.objects.get(username="rita"))


def test_the_newest_five_of_each_kind_are_kept(page: Client, world: World, now: datetime, files: Path) -> None:
    other = World(now)
    rows = [made(world, now) for _ in range(5)]
    apart = [made(world, now, Simulated.WITH), made(other, now)]
    assert len(stored(files)) == 7
    rows += [made(world, now), made(world, now)]
    for row in [*rows, *apart]:
        row.refresh_from_db()
    assert [bool(row.file) for row in rows] == [False, False, True, True, True, True, True]
    assert [(row.state, row.bytes) for row in rows[:2]] == [(DONE, 0)] * 2
    assert len(stored(files)) == 7
    for row in [*rows[2:], *apart]:
        with storage.open_file(row.file) as file:
            assert file.read(2) == b"PK"
    address = reverse("analysis:export_detail", args=[world.study.slug, rows[0].pk])
    assert "Make a new one" in text(page.get(address))
    assert page.get(f"{address}download").status_code == 404
    listed = text(page.get(reverse("analysis:export", args=[world.study.slug])))
    assert listed.count("deleted, make a new one") == 2
