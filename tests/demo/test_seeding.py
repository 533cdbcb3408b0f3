"""The demo is made once, says what it is, and survives being interrupted anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from demo import designs, seeding
from raters.models import Answer, Session
from studies.models import Clip, ClipImport, Pool, Study, StudyVersion
from tests.demo import PLATFORM, needs_espeak

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """Three raters are enough here."""
    monkeypatch.setattr(designs, "LIVE", replace(designs.LIVE, raters=3))


def numbers() -> list[int]:
    return [model.objects.count() for model in (Study, StudyVersion, Clip, ClipImport, Pool, Session, Answer)]


@needs_espeak
def test_seeding_makes_a_live_study_and_a_second_run_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    owner = get_user_model().objects.create_superuser("first", password="a long enough password")
    call_command("seed_demo")
    said = capsys.readouterr().out
    assert said.splitlines()[0].startswith("Synthesising")
    assert "The demo study is ready: 3 simulated raters gave 60 answers." in said
    study = Study.objects.get(slug="demo")
    assert (study.state, study.owner) == ("live", owner)
    assert Clip.objects.filter(study=study).count() == 78
    assert set(Session.objects.values_list("simulated", "outcome")) == {(True, "complete")}
    assert sum(Pool.objects.filter(cell__simulated=False).values_list("taken", flat=True)) == 0
    before = numbers()
    call_command("seed_demo")
    assert "nothing was changed" in capsys.readouterr().out
    assert numbers() == before


@needs_espeak
def test_an_interrupted_seeding_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    def run_until(module: Any, name: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                call_command("seed_demo")

    run_until(seeding.requests, "import_folder")
    assert Study.objects.get().state == "draft"
    assert not Clip.objects.exists()
    run_until(seeding.states, "launch")
    assert Clip.objects.count() == 78
    run_until(seeding, "simulate")
    assert Study.objects.get().state == "live"
    call_command("seed_demo")
    assert (Study.objects.count(), Clip.objects.count(), Session.objects.count()) == (1, 78, 3)
    assert set(Session.objects.values_list("outcome", flat=True)) == {"complete"}


def test_nothing_is_left_when_the_clips_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(*arguments: Any, **named: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], seeding.MISSING, "", "espeakng_loader is not installed.")

    monkeypatch.setattr(seeding.subprocess, "run", not_installed)
    with pytest.raises(CommandError, match=r"espeakng-loader is not installed.*--no-demo"):
        call_command("seed_demo")
    assert not Study.objects.exists()


def test_a_failing_synthesiser_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any, **named: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "espeak-ng could not start: it returned -1.\n")

    monkeypatch.setattr(seeding.subprocess, "run", fails)
    with pytest.raises(CommandError, match="it returned -1"):
        call_command("seed_demo")


def test_the_program_says_when_the_synthesiser_is_missing(tmp_path: Path) -> None:
    code = "import sys; sys.modules['espeakng_loader'] = None; from demo.synthesise import main; sys.exit(main(['x']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PLATFORM)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == seeding.MISSING
    assert "espeakng_loader is not installed" in done.stderr


def test_a_study_that_only_shares_the_address_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    mine = seeding.states.create_study(
        slug="demo", title="My own", preset="att", owner=None, changes={}, now=seeding.clock.now()
    )
    before = numbers()
    call_command("seed_demo")
    assert "isn't the demo" in capsys.readouterr().out
    assert numbers() == before
    mine.refresh_from_db()
    assert (mine.title, mine.state) == ("My own", "draft")


def test_an_owner_who_does_not_exist_is_refused() -> None:
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command("seed_demo", "--owner", "nobody")
    assert not Study.objects.exists()


def test_researcher_and_rater_are_told_who_plays_the_human() -> None:
    for design in (designs.LIVE, *designs.FINISHED):
        assert len(design.remark) <= 300
        assert "stand-ins" in design.remark
        assert "simulated" in design.remark
    assert "plays the human" in designs.LIVE.settings["texts.instructions"]
