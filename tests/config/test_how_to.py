"""The how-to pages do what they show: their commands run in order, and print the lines below them."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from django.core.management import call_command

from core.paths import ROOT
from launcher import study
from studies.models import Study
from tests import audio

pytestmark = pytest.mark.django_db

PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# clips/alpha/text_01.wav … text_12.wav
CLIPS = re.compile(r"^(clips/\w+/)(\w+_)01\.wav … \2(\d\d)\.wav$", re.MULTILINE)
# Clips are drawn at random at a launch, so scores and the numbers of their ratings differ from run to run.
RANDOM = re.compile(r"…|\d+\\\.\d{4}|(?<=n\\ )\d+")


def steps(page: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a page, and what the page shows below it."""
    for block in BLOCK.findall(page):
        yield from STEP.findall(block)


def make_clips(page: str) -> None:
    """Write the clips that a page lists, in the working directory."""
    for folder, name, last in CLIPS.findall(page):
        for number in range(1, int(last) + 1):
            path = Path(folder, f"{name}{number:02}.wav")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(audio.wav(0.5, seed=crc32(str(path).encode())))


def run(command: str) -> str:
    """Run a command of `./run study` or `./run manage` in this process, and return what it prints."""
    program, group, *arguments = shlex.split(command)
    assert (program, group) in {("./run", "study"), ("./run", "manage")}, command
    out = io.StringIO()
    call_command(*(study.management(arguments) if group == "study" else arguments), stdout=out)
    return " ".join(out.getvalue().split())


def shown_as(line: str) -> str:
    """Return the pattern of a line that a page shows."""
    return RANDOM.sub(r"\\S+", re.escape(" ".join(line.split())))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_of_a_how_to_page_print_what_it_shows(
    path: Path, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = path.read_text(encoding="utf-8")
    make_clips(page)
    assert list(steps(page))
    for command, shown in steps(page):
        if command.startswith("cat "):
            Path(command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
            continue
        if "publish_results" in command:
            # The page has this done by a button.
            Study.objects.update(state=Study.State.CLOSED)
        printed = run(command)
        missing = [line for line in shown.splitlines() if not re.search(shown_as(line), printed)]
        assert missing == [], f"{command}\n{printed}"
