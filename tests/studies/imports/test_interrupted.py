from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from core import jobs
from core.files import storage
from studies.imports import publishing, renditions, requests, working
from studies.imports.ingest import decoders, manifest
from studies.imports.ingest.archive import ZipArchive
from studies.imports.ingest.decoder import DecoderBroken, DecoderProcess
from studies.imports.ingest.staging import stage
from studies.imports.scratch import scratch
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import FILES, LATE, ROWS, assert_nothing_was_taken, done, stored

pytestmark = pytest.mark.django_db


def test_an_import_that_is_over_or_running_elsewhere_is_left_alone(
    study: Study, send: Callable[..., ClipImport], now: datetime
) -> None:
    job = send()
    assert jobs.claim(ClipImport, job.pk, now)
    requests.run_import(pk=job.pk, now=lambda: now)
    assert not Clip.objects.exists()
    done(job, now + jobs.LEASE + timedelta(seconds=1))
    assert Clip.objects.count() == 3
    requests.run_import(pk=job.pk, now=lambda: now)
    assert Clip.objects.count() == 3


@pytest.mark.parametrize("at", [1, 3, 5])
def test_a_worker_whose_job_was_taken_over_stops_and_leaves_no_trace(
    at: int, study: Study, send: Callable[..., ClipImport], now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = send()
    calls = 0
    renew = jobs.renew
    monkeypatch.setattr(working, "RENEW_SECONDS", 0.0)

    def renew_late(row: ClipImport, moment: datetime, **progress: int) -> bool:
        nonlocal calls
        calls += 1
        if calls == at:
            # The lease ran out while this worker slept, and another one began.
            assert jobs.claim(ClipImport, job.pk, now + timedelta(hours=1))
        return renew(row, moment, **progress)

    monkeypatch.setattr(working.jobs, "renew", renew_late)
    requests.run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    assert (job.state, job.tries) == (jobs.RUNNING, 2)
    assert job.archive
    assert not Clip.objects.exists()
    assert len(stored(files)) == 2
    monkeypatch.undo()
    done(job, now + timedelta(days=1))
    assert Clip.objects.count() == 3


def test_a_job_taken_over_in_the_last_moment_publishes_once(
    send: Callable[..., ClipImport], now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = send()
    add = publishing.add_clips

    def add_and_lose(*args: Any) -> None:
        add(*args)
        ClipImport.objects.filter(pk=job.pk).update(tries=2)

    monkeypatch.setattr(publishing, "add_clips", add_and_lose)
    requests.run_import(pk=job.pk, now=lambda: now)
    assert not Clip.objects.exists()
    assert len(stored(files)) == 2


def test_files_that_a_killed_worker_left_behind_are_cleared_by_the_next(
    send: Callable[..., ClipImport], now: datetime, files: Path
) -> None:
    job = send()
    assert jobs.claim(ClipImport, job.pk, now)
    storage.put(f"clips/{job.pk}", b"left behind")
    done(job, now + timedelta(hours=1))
    assert len(stored(files)) == 6


def test_clips_that_were_published_keep_their_files_although_the_commit_seemed_to_fail(
    send: Callable[..., ClipImport], now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = send()

    def publish(*args: Any, **options: Any) -> None:
        publishing.publish(*args, **options)
        raise ConnectionError

    monkeypatch.setattr(working, "publish", publish)
    requests.run_import(pk=job.pk, now=lambda: now)
    assert ClipImport.objects.get(pk=job.pk).clips_added == 3
    assert len([path for path in stored(files) if "clips" in path.parts]) == 6


def test_an_unforeseen_error_fails_the_job_and_leaves_no_trace(
    study: Study, send: Callable[..., ClipImport], now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(*args: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(working, "publish", publish)
    job = done(send(), now)
    assert job.state == jobs.FAILED
    assert job.error
    assert_nothing_was_taken(study, files)


@pytest.mark.processes
def test_a_decoding_child_that_is_killed_costs_nothing(
    send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = DecoderProcess.decode
    killed = []

    def decode_and_kill(self: DecoderProcess, *args: Any) -> Any:
        if self.process and not killed:
            killed.append(self.process.pid)
            os.kill(self.process.pid, signal.SIGKILL)
        return decode(self, *args)

    monkeypatch.setattr(DecoderProcess, "decode", decode_and_kill)
    assert done(send(), now).clips_added == 3
    assert killed


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_leaves_no_half_and_the_next_one_ends_it(
    study: Study,
    send: Callable[..., ClipImport],
    now: datetime,
    files: Path,
    process_environment: dict[str, str],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.DATA = files.parent
    rows, contents = audio.clip_set(texts=20)
    job = send(rows, contents)
    code = (
        "import django, sys; django.setup()\n"
        "from core import clock\nfrom django.conf import settings\n"
        "from studies.imports import requests, working\nfrom core import jobs\n"
        "working.RENEW_SECONDS = 0.0\n"
        "renew = jobs.renew\n"
        "def told(*args, **progress):\n"
        "    print(progress['done'], flush=True)\n"
        "    return renew(*args, **progress)\n"
        "jobs.renew = told\n"
        f"requests.run_import(pk={job.pk})\n"
    )
    environment = {**process_environment, "EARSHOT_DATA": str(files.parent), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        while int(worker.stdout.readline()) < 10:
            pass
        worker.kill()
    job.refresh_from_db()
    assert (job.state, job.tries) == (jobs.RUNNING, 1)
    assert 0 < job.done < len(rows)
    assert not Clip.objects.exists()
    assert job.lease_until is not None
    later = job.lease_until + timedelta(seconds=1)
    assert list(jobs.due(later)) == [("studies.import_clips", job.pk)]
    decode, decoded_again = DecoderProcess.decode, []
    monkeypatch.setattr(
        DecoderProcess, "decode", lambda self, *paths: decoded_again.append(paths) or decode(self, *paths)
    )
    assert done(job, later).clips_added == len(rows)
    assert len(stored(files)) == 2 * len(rows)
    assert 0 < len(decoded_again) <= len(rows) - 10, "what the killed worker had decoded was not decoded again"
    assert list((settings.DATA / "imports").iterdir()) == []


def test_a_half_written_clip_of_a_killed_worker_is_decoded_again(
    send: Callable[..., ClipImport], now: datetime, settings: Any, tmp_path: Path
) -> None:
    settings.DATA = tmp_path
    job = send()
    folder = tmp_path / "imports" / str(job.pk)
    with scratch(job) as first:
        assert first == folder
        with scratch(job) as second:
            assert second != folder, "another process has the folder"
            target = renditions.target_of(job.study.definition.audio)
            rows = manifest.read(audio.manifest(ROWS)).rows
            with storage.open_file(job.archive) as file:
                stage(ZipArchive(file), rows, target, first, lambda done, total: None)
        kept = {path.name: path.read_bytes() for path in first.iterdir()}
    assert not folder.exists()
    folder.mkdir(parents=True)
    for name, content in kept.items():
        (folder / name).write_bytes(content[: len(content) // 2] if name.endswith(".out") else content)
    assert done(job, now).clips_added == 3
    sizes = {clip.rendition: clip.rendition_bytes for clip in Clip.objects.all()}
    for name, size in sizes.items():
        with storage.open_file(name) as rendition:
            assert len(rendition.read()) == size


def test_folders_of_imports_that_another_machine_finished_are_deleted(
    send: Callable[..., ClipImport], now: datetime, settings: Any, tmp_path: Path
) -> None:
    settings.DATA = tmp_path
    old, running = done(send(), now), send(rows=LATE)
    for job in (old, running):
        (tmp_path / "imports" / str(job.pk)).mkdir(parents=True, exist_ok=True)
    with scratch(send(rows=LATE)):
        assert not (tmp_path / "imports" / str(old.pk)).exists()
        assert (tmp_path / "imports" / str(running.pk)).exists()


def test_a_command_that_was_interrupted_leaves_a_failed_job(study: Study, tmp_path: Path, now: datetime) -> None:
    manifest = audio.write_folder(tmp_path / "clips", ROWS, FILES)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        requests.import_folder(
            study=study, manifest_path=manifest, root=manifest.parent, now=lambda: now, progress=interrupt
        )
    job = ClipImport.objects.get()
    assert job.state == jobs.FAILED
    assert "KeyboardInterrupt" in job.error


def test_an_import_writes_its_progress_now_and_then_and_not_for_every_row(
    send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = [{**ROWS[0], "file": f"none/{number}.wav", "text_id": f"t{number}"} for number in range(200)]
    job = send(rows=missing)
    renewed = []
    renew = jobs.renew
    monkeypatch.setattr(working.jobs, "renew", lambda *row, **told: renewed.append(1) or renew(*row, **told))
    assert len(done(job, now).report) >= 200
    assert len(renewed) < 20


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_an_import_that_meets_another_writer_publishes_what_it_has_decoded(
    send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, tries = send(), []
    publish = working.publish

    def locked_at_first(*args: Any, **told: Any) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("database is locked")
        publish(*args, **told)

    monkeypatch.setattr(working, "publish", locked_at_first)
    assert done(job, now).state == jobs.DONE
    assert (len(tries), Clip.objects.count()) == (3, 3)


def test_a_decoder_that_cannot_start_is_told_as_the_servers_fault(
    send: Callable[..., ClipImport], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(DecoderProcess):
        def decode(self, *_args: Any) -> Any:
            raise DecoderBroken("The decoding process can't be started: OSError: cannot load library 'libsndfile.so'")

    monkeypatch.setattr(decoders, "DecoderProcess", Broken)
    job = done(send(), now)
    assert job.state == jobs.FAILED
    assert "This server can’t decode sound" in job.error
    assert "libsndfile.so" in job.error
    assert "./run doctor" in job.error
