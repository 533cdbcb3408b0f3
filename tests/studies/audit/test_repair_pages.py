"""The page of a repair, and the commands that do the same."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from studies.audit import measuring, previewing
from studies.imports import converting, requests
from studies.models import AppliedRepair, Clip, ClipImport, Member, RepairPreview, Study
from tests.researchers import logged_in, researcher, text, url
from tests.studies.audit.material import DIFFERENT, clip_set, measured, study_of
from tests.studies.imports.conftest import InProcess

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
APPLY = "Apply to all 15 clips"


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previewing, "DecoderProcess", InProcess)


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def study(tmp_path: Path, now: datetime, rita: User) -> Study:
    study = study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT))
    Study.objects.update(owner=rita)
    return measured(study, now)


def converted() -> None:
    """Make the clips again and measure them, as a worker would."""
    requests.run_import(pk=ClipImport.objects.latest("pk").pk)
    measuring.measure_now(study=Study.objects.get())


def test_a_finding_is_previewed_repaired_and_this_is_undone(page: Client, study: Study, rita: User) -> None:
    audit, address = url("audit", study.slug), url("repair", study.slug, "edges")
    assert f'formaction="{address}"' in text(page.get(audit))
    shown = text(page.post(address, {"preview": ""}, follow=True))
    assert "waiting to start" in shown
    assert APPLY not in shown
    previewing.run(pk=RepairPreview.objects.get().pk)
    status = page.get(url("repair_status", study.slug, "edges")).json()
    assert (status["percent"], status["total"], status["over"]) == (100, 24, True)
    shown = text(page.get(address))
    assert "Breaths and pauses at the edges may be part of what listeners judge." in shown
    assert '<td class="number">0.50 → 0.20</td>' in shown
    tried = RepairPreview.objects.get().clips[0]["clip"]
    sound = page.get(url("repair_audio", study.slug, "edges", tried))
    assert sound["Content-Type"] == "audio/wav"
    assert b"".join(sound.streaming_content).startswith(b"RIFF")  # type: ignore[attr-defined]
    assert page.get(url("repair_audio", study.slug, "edges", 0)).status_code == 404

    shown = text(page.post(address, {"apply": "", "value": "0.2"}, follow=True))
    assert "Applied to all clips: silence of 0.2 s at both edges." in shown
    assert "Making the clips again from their originals." in shown
    assert "Applied by rita" in shown
    assert "silence of 0.2 s" in LogEntry.objects.latest("pk").get_change_message()
    assert ClipImport.objects.latest("pk").created_by == rita
    converted()
    shown = text(page.get(audit))
    assert "start with more silence" not in shown
    shown = text(page.post(address, {"undo": ""}, follow=True))
    assert "Applied by rita" not in shown
    converted()
    assert "start with more silence" in text(page.get(audit))
    assert set(Clip.objects.values_list("recipe", flat=True)) == {""}


@pytest.mark.parametrize(
    ("value", "message"), [("0.01", "greater than or equal to 0.05"), ("much", "Enter a number"), ("", "required")]
)
def test_a_wrong_value_is_told_beside_its_field(page: Client, study: Study, value: str, message: str) -> None:
    for button in ("preview", "apply"):
        shown = text(page.post(url("repair", study.slug, "edges"), {button: "", "value": value}))
        assert message in shown.split('class="repair-value"')[1].split("</div>")[0]
    assert not RepairPreview.objects.exists()
    assert not AppliedRepair.objects.exists()


def test_viewers_see_what_is_applied_and_change_nothing(page: Client, study: Study, now: datetime) -> None:
    page.post(url("repair", study.slug, "band"), {"apply": "", "value": "4000"})
    vera = researcher("vera")
    Member.objects.create(study=study, user=vera, role="viewer", added_at=now)
    other = logged_in(vera)
    shown = text(other.get(url("audit", study.slug)))
    assert "frequencies up to 4000 Hz" in shown
    assert "Undo repair" not in shown
    shown = text(other.get(url("repair", study.slug, "band")))
    assert "Applied now: frequencies up to 4000 Hz." in shown
    assert 'name="apply"' not in shown
    assert 'name="preview"' not in shown
    for sent in ({"preview": ""}, {"apply": "", "value": "5000"}, {"undo": ""}):
        assert other.post(url("repair", study.slug, "band"), sent).status_code == 403
    assert AppliedRepair.objects.get().value == 4000


def test_a_repair_that_failed_is_tried_again_from_its_own_page(
    page: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.post(url("repair", study.slug, "edges"), {"apply": "", "value": "0.2"})
    with monkeypatch.context() as broken:
        broken.setattr(converting, "decode", None)
        requests.run_import(pk=ClipImport.objects.latest("pk").pk)
    job = ClipImport.objects.latest("pk")
    shown = text(page.get(url("audit", study.slug)))
    assert "The conversion failed, and no clip was changed" in shown
    assert url("import", study.slug, job.pk) in shown
    assert "The clips couldn’t be repaired." in text(page.get(url("launch", study.slug)))
    page.post(url("import", study.slug, job.pk))
    converted()
    assert "silence of 0.2 s" in text(page.get(url("audit", study.slug)))
    assert Clip.objects.filter(recipe="edges=0.2").count() == 15


def test_there_is_no_page_of_another_repair(page: Client, study: Study) -> None:
    assert page.get(f"/studies/{study.slug}/audit/repair/reverb/").status_code == 404


def test_the_commands_name_try_apply_and_undo_repairs(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*args: Any) -> str:
        call_command(*args)
        return capsys.readouterr().out

    assert "Repair: ./run study repair one --edges 0.2 --dry-run" in said("audit_study", "one")
    shown = said("repair_clips", "one", "--edges", "0.2", "--band", "4000", "--dry-run")
    assert "human  human/t0.wav  silence_before 0.50 → 0.20" in shown
    assert "frequencies up to 4000 Hz:" in shown
    assert said("repair_clips", "one") == "No repair is applied.\n"
    shown = said("repair_clips", "one", "--edges", "0.2", "--level", "-25")
    assert shown.splitlines() == [
        "15 clips were made again from their originals.",
        "2 repairs are applied to all clips: silence of 0.2 s at both edges and loudness of −25 LUFS.",
    ]
    assert "start with more silence" not in said("audit_study", "one")
    assert "1 repair is applied" in said("repair_clips", "one", "--undo", "edges")
    assert "No repair is applied." in said("repair_clips", "one", "--undo")
    assert set(Clip.objects.values_list("recipe", flat=True)) == {""}


def test_the_command_refuses_what_cannot_be(study: Study) -> None:
    with pytest.raises(CommandError, match=r"greater than or equal to 0\.05"):
        call_command("repair_clips", "one", "--edges", "0.001")
    with pytest.raises(CommandError, match="not both"):
        call_command("repair_clips", "one", "--edges", "0.2", "--undo")
