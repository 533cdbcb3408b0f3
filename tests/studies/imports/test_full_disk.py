"""A disk that is nearly full: imports stop and say so, and what raters send is stored all the same."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.errors import Conflict
from core.files import room
from raters.models import Answer
from studies.imports import requests, working
from studies.models import ClipImport, Study
from tests.studies.imports.helpers import assert_nothing_was_taken
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db
MB = 1 << 20


def leave(monkeypatch: pytest.MonkeyPatch, *free: int) -> None:
    """Let the disk have so many bytes left at each look, the last number from then on."""
    looks = list(free)
    usage = lambda _path: SimpleNamespace(free=looks.pop(0) if len(looks) > 1 else looks[0])  # noqa: E731
    monkeypatch.setattr(room, "shutil", SimpleNamespace(disk_usage=usage))


def test_an_import_is_refused_before_the_disk_is_full(
    study: Study, send: Callable[..., ClipImport], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(monkeypatch, 499 * MB)
    with pytest.raises(Conflict, match="only 499 MB left") as refused:
        send()
    assert refused.value.code == "disk_full"
    assert not ClipImport.objects.exists()


@pytest.mark.parametrize("look", [0, 1, 2])
def test_an_import_that_would_fill_the_disk_stops_and_says_so(
    look: int, study: Study, send: Callable[..., ClipImport], now: datetime, files: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    job = send()
    monkeypatch.setattr(working, "RENEW_SECONDS", 0.0)
    leave(monkeypatch, *[900 * MB] * look, 450 * MB)
    requests.run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    assert "only 450 MB left" in job.error
    assert_nothing_was_taken(study, files)


def test_a_disk_that_is_full_is_named_as_the_reason(
    study: Study, send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = send()

    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(working, "keep", fill)
    requests.run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    assert job.error.startswith("The import failed. Nothing was added. There is no room left on the server’s disk.")


def test_answers_are_stored_on_a_disk_that_takes_no_imports(
    now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(make_study(now=now, texts=24), now)
    leave(monkeypatch, 20 * MB)
    person.start().rate()
    assert Answer.objects.count() == 1
