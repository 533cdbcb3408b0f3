"""The result of a quick test: sentences, and files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from quick.answers import Collected
from quick.request import Kept
from quick.verdicts import Verdict, sentence, verdicts

STARTER = (
    "Folder and file names were hidden from everyone until the end. The person who started the test may have been one "
    "of the listeners."
)


@dataclass(frozen=True, slots=True)
class Result:
    """A test with its answers; `stopped` is empty if it ended as planned."""

    kept: Kept
    collected: Collected
    verdicts: tuple[Verdict, ...]
    stopped: str

    @property
    def lines(self) -> list[str]:
        """The result in sentences: how the test was stopped, then one of each pair."""
        task, count = self.kept.request.task, len(self.verdicts)
        lines = [sentence(each, task, count) for each in self.verdicts] or ["No answer was given."]
        return [*([self.stopped] if self.stopped else []), *lines]


def result(kept: Kept, collected: Collected, *, is_stopped: bool) -> Result:
    """Compare the folders by the answers."""
    found = verdicts(collected.answers, kept.folders, kept.request.task, kept.request.seed)
    stopped = f"Stopped by hand after {collected.given} of {kept.answers} answers." if is_stopped else ""
    return Result(kept, collected, tuple(found), stopped)


def write(found: Result, folder: Path) -> list[Path]:
    """Write report.html, result.json, answers.csv and files.csv; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("report.html", "result.json", "answers.csv", "files.csv")]
    report, data, answers, files = paths
    report.write_text(render_to_string("quick/report.html", _context(found)), encoding="utf-8")
    data.write_text(json.dumps(as_json(found), ensure_ascii=False, indent=1), encoding="utf-8")
    _table(answers, (each._asdict() for each in found.collected.answers))
    _table(files, (each.model_dump(mode="json") for each in found.kept.files))
    return paths


def as_json(found: Result) -> dict[str, Any]:
    """Return everything that is needed to repeat and to check the result."""
    kept, collected = found.kept, found.collected
    heard_first = [each.heard_first for each in collected.answers if each.heard_first]
    return {
        "version": settings.VERSION,
        "task": kept.request.task,
        "seed": kept.request.seed,
        "options": kept.request.model_dump(mode="json"),
        "started_at": kept.started_at,
        "stopped": found.stopped,
        "answers": collected.given,
        "answers_planned": kept.answers,
        "listeners": collected.listeners,
        "complete": collected.complete,
        "heard_first": {name: heard_first.count(name) for name in kept.folders},
        "without_partner": list(kept.alone),
        "same_sound": kept.identical,
        "repairs": kept.repairs,
        "differences": list(kept.differences),
        "result": found.lines,
        "pairs": [asdict(each) for each in found.verdicts],
        "files": [each.model_dump(mode="json") for each in kept.files],
        "note": STARTER,
    }


def _context(found: Result) -> Mapping[str, Any]:
    kept = found.kept
    pairs = [
        {"first": each.first, "second": each.second, "rows": [_files(kept, text, each) for text in each.against]}
        for each in found.verdicts
    ]
    facts = {
        "Answers": f"{found.collected.given} of {kept.answers}",
        "Listeners": f"{found.collected.listeners}, of whom {found.collected.complete} finished",
        "Texts": str(len(kept.texts)),
        "Task": kept.request.task,
        "Loudness": "not matched" if kept.request.as_is else "matched, gains in files.csv",
        "Edges": f"{edges:g} s of silence" if (edges := kept.repairs.get("edges")) else "as they came",
        "Bandwidth": f"limited to {band:g} Hz" if (band := kept.repairs.get("band")) else "as it came",
        "Seed": str(kept.request.seed),
        "Earshot": settings.VERSION,
    }
    return {
        "lines": found.lines, "facts": facts, "pairs": pairs, "differences": kept.differences, "note": STARTER,
        "is_abx": kept.request.task == "abx",
    }  # fmt: skip


def _files(kept: Kept, text: str, verdict: Verdict) -> Mapping[str, Any]:
    paths = {each.folder: each.path.as_uri() for each in kept.files if each.text == text}
    return {"text": text, "files": [(name, paths[name]) for name in (verdict.first, verdict.second)]}


def _table(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    listed: Sequence[Mapping[str, Any]] = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        if listed:
            table = csv.DictWriter(file, list(listed[0]))
            table.writeheader()
            table.writerows(listed)
