"""The page of the audit, and the command that does the same."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from core.jobs import DONE, FAILED, QUEUED
from studies.audit import measuring
from studies.launch import launch_list
from studies.launch.launch_list import LaunchLine
from studies.models import AcceptedFinding, ClipAudit, Study, StudyAudit
from tests.researchers import logged_in, researcher, text, url
from tests.studies.audit.material import ALIKE, DIFFERENT, clip_set, measured, study_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def different(tmp_path: Path, now: datetime, rita: User) -> Study:
    study = study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT))
    Study.objects.update(owner=rita)
    return study


def test_findings_stand_above_plots_and_measures(page: Client, different: Study, now: datetime) -> None:
    measured(different, now)
    shown = text(page.get(url("audit", different.slug)))
    assert shown.index("Clips of human start with more silence") < shown.index('id="plot-silence_before"')
    assert shown.index('id="plot-silence_before"') < shown.index("44.1 kHz, 16 bit, PCM, stereo")
    assert "Listeners can recognize the system before they hear its voice. Make the edges of all clips alike" in shown
    strip = shown.split('id="plot-silence_before"')[1].split("</figure>")[0]
    assert strip.count('class="dot human"') == 5
    assert strip.count('class="dot machine"') == 10
    assert strip.index(">human<") < strip.index(">alpha<")


def test_a_finding_is_accepted_and_this_is_undone(page: Client, different: Study, now: datetime, rita: User) -> None:
    measured(different, now)
    address = url("audit", different.slug)
    button = text(page.get(address)).split('name="accept" value="', 1)[1].split('"')[0]
    shown = text(page.post(address, {"accept": button}, follow=True))
    assert "Accepted by rita" in shown
    assert f'name="revoke" value="{button}"' in shown
    row = AcceptedFinding.objects.get()
    assert (row.key, row.accepted_by) == (button, rita)
    assert "Part of what you compare: Clips of human" in LogEntry.objects.get().get_change_message()
    shown = text(page.post(address, {"revoke": button}, follow=True))
    assert "Accepted by" not in shown
    assert f'name="accept" value="{button}"' in shown


def test_the_level_of_noise_stands_beside_its_length(page: Client, tmp_path: Path, now: datetime, rita: User) -> None:
    study = measured(study_of(tmp_path / "clips", now, *clip_set(human={"lead": 0.9}, alpha={}, beta={})), now)
    Study.objects.update(owner=rita)
    shown = text(page.get(url("audit", study.slug)))
    assert 'id="plot-noise_before"' in shown
    assert 'id="finding-noise_before"' in shown
    assert re.search(r"0\.9\d \(−20 dB\)", shown)
    lines = [line for group in launch_list.context(study, now)["groups"] for line in group.lines]
    [line] = [line for line in lines if "more audible noise" in line.message]
    assert line == LaunchLine(
        "Audit: Clips of human start with more audible noise than those of alpha and beta: 0.91 s.",
        f"{url('audit', study.slug)}#finding-noise_before",
        "See finding",
    )


def test_while_clips_are_measured_the_launch_page_shows_how_many(page: Client, different: Study) -> None:
    shown = text(page.get(url("launch", different.slug)))
    assert url("audit_status", different.slug) in shown
    assert "The audit is still running: 0 of 15 clips measured; findings can still change." in shown
    measuring.run(pk=StudyAudit.objects.get().pk)
    shown = text(page.get(url("launch", different.slug)))
    assert url("audit_status", different.slug) not in shown
    assert "findings can still change" not in shown


def test_a_finding_that_is_gone_cannot_be_accepted(page: Client, different: Study) -> None:
    shown = text(page.post(url("audit", different.slug), {"accept": "bandwidth:0"}, follow=True))
    assert "This finding is gone" in shown
    assert not AcceptedFinding.objects.exists()


def test_the_page_shows_progress_while_the_job_runs(page: Client, different: Study) -> None:
    shown = text(page.get(url("audit", different.slug)))
    assert "waiting to start" in shown
    job = StudyAudit.objects.get()
    waiting = page.get(url("audit_status", different.slug)).json()
    assert (waiting["over"], waiting["message"]) == (False, "0 of 15 clips measured; findings can still change.")
    assert waiting["message"] in shown
    measuring.run(pk=job.pk)
    status = page.get(url("audit_status", different.slug)).json()
    assert status.pop("message") == "15 of 15 clips measured; findings can still change."
    assert status == {"percent": 100, "done": 15, "total": 15, "over": True}


def test_clips_of_an_earlier_release_are_measured_on_request(page: Client, different: Study) -> None:
    StudyAudit.objects.all().delete()
    shown = text(page.get(url("audit", different.slug)))
    assert "0 of 15 clips measured; findings can still change." in shown
    page.post(url("audit", different.slug), {"measure": "all"})
    assert StudyAudit.objects.get().state == QUEUED


def test_a_failed_audit_says_why_and_can_be_repeated(page: Client, different: Study) -> None:
    StudyAudit.objects.update(state=FAILED, error="There is no room left.")
    assert "There is no room left." in text(page.get(url("audit", different.slug)))
    page.post(url("audit", different.slug), {"measure": "all"})
    job = StudyAudit.objects.get(state=QUEUED)
    measuring.run(pk=job.pk)
    job.refresh_from_db()
    assert job.state == DONE
    assert "There is no room left." not in text(page.get(url("audit", different.slug)))


def test_without_clips_the_page_says_what_to_do_first(page: Client, different: Study) -> None:
    different.clips.all().delete()
    assert "There are no clips yet. Add clips first" in text(page.get(url("audit", different.slug)))


def test_a_study_without_differences_says_so(page: Client, tmp_path: Path, now: datetime, rita: User) -> None:
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**ALIKE)), now)
    Study.objects.update(owner=rita)
    assert "No difference between systems was found." in text(page.get(url("audit", study.slug)))


def test_another_researcher_neither_sees_nor_accepts(different: Study, now: datetime) -> None:
    measured(different, now)
    stranger = logged_in(researcher("sam"))
    for address in (url("audit", different.slug), url("audit_status", different.slug)):
        assert stranger.get(address).status_code in {302, 404}
    assert stranger.post(url("audit", different.slug), {"measure": "all"}).status_code == 404


def test_the_command_measures_prints_and_writes_json(different: Study, tmp_path: Path, capsys: Any) -> None:
    call_command("audit_study", "one", "--json", str(tmp_path / "audit.json"))
    out = capsys.readouterr().out
    assert "15 of 15 clips measured" in out
    assert "warning: Clips of human start with more silence than those of alpha and beta: 0.49 s" in out
    content = json.loads((tmp_path / "audit.json").read_text())
    assert [found["level"] for found in content["findings"]] == ["warning"] * 5
    [first] = [clip for clip in content["clips"] if clip["file"] == "human/t0.wav"]
    assert first["source"] == {"sample_rate": 44_100, "channels": 2, "codec": "PCM", "bit_depth": 16, "clipped": 0.0}
    assert first["measures"]["silence_before"] == pytest.approx(0.5, abs=0.02)
    assert ClipAudit.objects.count() == 15


def test_the_command_fails_while_a_finding_blocks(different: Study, now: datetime, capsys: Any) -> None:
    measured(different, now)
    ClipAudit.objects.filter(clip__file="beta/t2.wav").update(problem="silent", measures={}, fingerprint="")
    with pytest.raises(CommandError, match="1 of 6 findings block the launch"):
        call_command("audit_study", "one")
    assert "blocking: 1 clip is silent: beta/t2.wav." in capsys.readouterr().out


def test_the_command_names_a_study_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="There is no study"):
        call_command("audit_study", "nowhere")


def test_a_page_with_buttons_offers_new_results_instead_of_loading_itself_again(
    page: Client, different: Study, now: datetime
) -> None:
    measured(different, now)
    address = url("audit", different.slug)
    assert "data-ready" not in text(page.get(address))
    StudyAudit.objects.create(study=different, queued_at=now)
    shown = text(page.get(address))
    assert 'name="accept"' in shown
    assert "<p data-ready hidden>The audit is done." in shown


def test_many_systems_are_searched_and_shown_in_pages(
    page: Client, different: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(different, now)
    monkeypatch.setattr("core.web.listing.ON_A_PAGE", 1)
    address = url("audit", different.slug)

    def systems(query: str) -> set[str]:
        return set(re.findall(r'<span class="who" dir="auto">(\w+)</span>', text(page.get(f"{address}{query}"))))

    assert systems("") == {"human"}
    assert systems("?page=2") == {"alpha"}
    assert systems("?q=beta") == {"beta"}
    shown = text(page.get(f"{address}?q=nothing"))
    assert "No system matches." in shown
    assert "No difference between systems was found." not in shown
    assert text(page.get(address)).count('<button class="button secondary" name="accept"') == 1


def test_one_of_two_clips_with_the_same_audio_is_deleted_by_one_click(page: Client, different: Study) -> None:
    first, second = (different.clips.filter(system__name=name).order_by("pk")[0] for name in ("human", "alpha"))
    different.clips.filter(pk=second.pk).update(sha256=first.sha256)
    address = url("audit", different.slug)
    shown = text(page.get(address))
    assert f'name="clip" value="{first.pk}">Delete {first.file}</button>' in shown
    assert f'name="clip" value="{second.pk}">Delete {second.file}</button>' in shown
    page.post(url("clip_labels", different.slug), {"do": "delete", "clip": second.pk})
    assert "The same audio is used" not in text(page.get(address))
    Study.objects.update(launched_at="2026-03-01T00:00Z")
    different.clips.filter(pk=second.pk).update(withdrawn_at=None)
    assert f"Delete {first.file}" not in text(page.get(address))
