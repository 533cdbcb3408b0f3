"""A study and a way to send clips to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from studies.imports import requests
from studies.imports.ingest import decoders
from studies.imports.ingest.child import process
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.facts import Facts
from studies.imports.ingest.lowpass import write_lowpass
from studies.models import ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import FILES, ROWS, draft


class InProcess(DecoderProcess):
    """Decodes without a child: these tests are about rows and files, and a child takes a second to start."""

    def decode(self, source: Path, target: Path, edges_of: Path | None = None) -> Facts:
        return process(source, target, self.target, edges_of)

    def lowpass(self, source: Path, target: Path, hertz: int) -> None:
        write_lowpass(source, target, hertz, max_seconds=self.target.max_seconds)


@pytest.fixture(autouse=True)
def quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the child process, except where a test asks for it by its mark."""
    if not request.node.get_closest_marker("processes"):
        monkeypatch.setattr(decoders, "DecoderProcess", InProcess)


@pytest.fixture
def study(files: Path) -> Study:
    """Return a draft, with stored files in a folder of this test's own."""
    return Study.objects.create(slug="one", title="One", draft=draft())


@pytest.fixture
def send(study: Study, now: datetime) -> Callable[..., ClipImport]:
    """Return a function that uploads rows and files and queues their import."""

    def request(
        rows: Any = ROWS,
        contents: Any = FILES,
        manifest: bytes = b"",
        archive: bytes = b"",
        choices: Mapping[str, bool] | None = None,
        **lists: str,
    ) -> ClipImport:
        return requests.request_import(
            study=study,
            user=None,
            manifest=SimpleUploadedFile("clips.csv", manifest or audio.manifest(rows)),
            manifest_name="clips.csv",
            archive=SimpleUploadedFile("clips.zip", archive or audio.zipped(contents)),
            archive_name="clips.zip",
            now=now,
            choices=requests.Choices(**(choices or {})),
            **{name: content.encode() for name, content in lists.items()},
        )

    return request
