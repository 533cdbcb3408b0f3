"""Renditions have the highest sample rate among a draft's clips, at most 48 kHz, and keep it after the launch."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
import soundfile
from django.test import Client

from accounts.models import User
from core.files import storage
from core.jobs import DONE, FAILED, QUEUED
from studies.imports import changes, converting, renditions, requests
from studies.imports.ingest import rates
from studies.launch import checks
from studies.launch.states import launch
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import done, draft, stored

pytestmark = pytest.mark.django_db


def clips(*hertz: int, system: str = "alpha") -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """Return the rows and files of clips at these rates."""
    files = {f"{system}/{rate}.wav": audio.wav(0.5, rate=rate, seed=rate) for rate in hertz}
    return [{"file": name, "system": system, "role": "test", "text_id": name} for name in files], files


def delivered() -> dict[str, int]:
    """Return the rate at which each clip is sent."""
    found = {}
    for clip in Clip.objects.all():
        with storage.open_file(clip.rendition) as file:
            content = file.read()
        assert len(content) == clip.rendition_bytes
        found[clip.file] = soundfile.info(io.BytesIO(content)).samplerate
    return found


def converted(study: Study, now: datetime) -> ClipImport:
    """Run the queued conversion as a worker does."""
    job = renditions.waiting(study)
    assert job is not None
    return done(job, now)


def blocking(study: Study) -> str:
    return " ".join(finding.message for finding in checks.findings(study) if finding.level == "blocking")


@pytest.mark.parametrize(
    ("own", "wanted"), [(8000, 8000), (11025, 12000), (24000, 24000), (44100, 44100), (48000, 48000), (192000, 48000)]
)
def test_the_rate_is_that_of_the_clips_up_to_48_khz(
    study: Study, send: Callable[..., ClipImport], now: datetime, own: int, wanted: int
) -> None:
    assert done(send(*clips(own)), now).clips_added == 1
    assert set(delivered().values()) == {wanted}
    assert renditions.waiting(study) is None
    assert renditions.outdated(study) is None


def test_of_clips_at_several_rates_the_highest_is_that_of_all(
    study: Study,
    send: Callable[..., ClipImport],
    now: datetime,
    files: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    done(send(*clips(16000, 24000, 22050)), now)
    assert "being converted to 24 kHz" in blocking(study)
    with django_capture_on_commit_callbacks(execute=True):
        assert converted(study, now).state == DONE
    assert set(delivered().values()) == {24000}
    assert "being converted" not in blocking(study)
    # An original and a rendition of each, and nothing else is left over.
    assert len(stored(files)) == 6


def test_a_clip_with_a_higher_rate_has_all_clips_made_again(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    done(send(*clips(24000)), now)
    done(send(*clips(44100, system="beta")), now)
    assert set(delivered().values()) == {24000, 44100}
    assert converted(study, now).state == DONE
    assert set(delivered().values()) == {44100}


@pytest.mark.parametrize("change", ["withdraw", "remove"])
def test_without_the_clip_of_the_highest_rate_the_others_are_made_again_too(
    study: Study, send: Callable[..., ClipImport], now: datetime, change: str
) -> None:
    done(send(*clips(24000, 44100)), now)
    assert converted(study, now).state == DONE
    high = [Clip.objects.get(sample_rate=44100).pk]
    if change == "remove":
        changes.remove(clips=high, now=now)
    else:
        changes.withdraw(clips=high, now=now)
    assert converted(study, now).state == DONE
    assert set(delivered().values()) == {24000}
    if change == "withdraw":
        changes.restore(clips=high, now=now)
        assert converted(study, now).state == DONE
        assert set(delivered().values()) == {44100}


def test_a_change_while_the_job_runs_queues_another(
    study: Study, send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(send(*clips(16000, 24000)), now)
    render = converting._render

    def meanwhile(*arguments: Any) -> None:
        render(*arguments)
        changes.remove(clips=[Clip.objects.get(sample_rate=24000).pk], now=now)

    monkeypatch.setattr(converting, "_render", meanwhile)
    assert converted(study, now).state == DONE
    assert renditions.outdated(study) is None
    assert set(delivered().values()) == {16000}


def test_a_launch_fixes_the_rate_and_later_clips_are_converted_with_a_warning(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    fewer = {f"protocol__{name}": 0 for name in ("flawed_traps", "human_traps", "human_traps_right")}
    study.draft = draft(protocol__tests_per_batch=1, protocol__batches_per_session=1, **fewer)
    study.save()
    done(send(*clips(24000)), now)
    version = launch(study=study, now=now, rng=Random(1))
    assert version.definition["audio"]["sample_rate"] == study.definition.audio.sample_rate == 24000
    job = done(send(*clips(44100, system="beta")), now)
    assert set(delivered().values()) == {24000}
    assert [line["warning"] for line in job.report] == [True]
    assert "converted to 24,000 Hz, the rate of this study" in job.report[0]["reason"]
    assert renditions.waiting(study) is None
    changes.withdraw(clips=[Clip.objects.get(sample_rate=24000).pk], now=now)
    assert not study.imports.filter(state=QUEUED).exists()


def test_a_rate_that_the_study_sets_is_kept(study: Study, send: Callable[..., ClipImport], now: datetime) -> None:
    study.draft = draft(audio__sample_rate=48000)
    study.save()
    done(send(*clips(16000, 24000)), now)
    assert set(delivered().values()) == {48000}
    assert renditions.waiting(study) is None


def test_a_folder_is_imported_with_all_its_renditions_at_once(study: Study, now: datetime, tmp_path: Path) -> None:
    manifest = audio.write_folder(tmp_path / "clips", *clips(16000, 24000))
    job = requests.import_folder(study=study, manifest_path=manifest, root=tmp_path / "clips", now=lambda: now)
    assert job.clips_added == 2
    assert set(delivered().values()) == {24000}


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("seconds", [0.1, 0.5, 1.2345, 59.9])
def test_the_bytes_of_a_rendition_say_its_rate(rate: int, seconds: float) -> None:
    frames = round(seconds * rate)
    for wanted in rates.RATES:
        size = rates.size(frames / rate, rate, 1, wanted)
        assert rates.rate_of(frames / rate, rate, 1, size) == wanted
    assert rates.rate_of(frames / rate, rate, 1, 45) is None


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("boss"))
    return client


def test_the_page_of_a_conversion_says_what_it_does(
    study: Study, send: Callable[..., ClipImport], now: datetime, page: Client
) -> None:
    done(send(*clips(16000, 24000)), now)
    job = renditions.waiting(study)
    assert job is not None
    address = f"/studies/{study.slug}/imports/{job.pk}/"
    shown = page.get(address).text
    assert '<h2 id="import">Conversion to 24 kHz</h2>' in shown
    assert "Making new files for raters from the originals." in shown
    assert converted(study, now).state == DONE
    shown = page.get(address).text
    assert "The clips were converted." in shown
    assert "Fix the files" not in shown
    assert "clips converted" in page.get(f"/studies/{study.slug}/clips/").text


def test_a_conversion_that_failed_changes_nothing_and_can_be_started_again(
    study: Study, send: Callable[..., ClipImport], now: datetime, page: Client, files: Path
) -> None:
    done(send(*clips(16000, 24000)), now)
    low = Clip.objects.get(sample_rate=16000)
    original = files / low.original
    original.rename(original.with_suffix(".away"))
    job = converted(study, now)
    assert job.state == FAILED
    assert set(delivered().values()) == {16000, 24000}
    assert "couldn’t be converted to 24 kHz" in blocking(study)
    address = f"/studies/{study.slug}/imports/{job.pk}/"
    shown = page.get(address).text
    assert "no clip was changed" in shown
    assert "Convert the clips again" in shown
    original.with_suffix(".away").rename(original)
    again = page.post(address)
    assert "being converted to 24 kHz" in blocking(study)
    assert converted(study, now).state == DONE
    assert "The clips were converted." in page.get(again["Location"]).text
    assert "converted" not in blocking(study)


def test_a_post_to_an_import_that_needs_no_conversion_changes_nothing(
    study: Study, send: Callable[..., ClipImport], now: datetime, page: Client
) -> None:
    job = done(send(*clips(24000)), now)
    address = f"/studies/{study.slug}/imports/{job.pk}/"
    assert page.post(address)["Location"] == address
    assert study.imports.count() == 1
