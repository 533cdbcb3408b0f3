"""The result of a quick test: sentences in the active language, and files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.text import languages
from core.text.words import joined
from quick import alike
from quick.answers import Collected
from quick.request import Kept
from quick.sentences import sentences
from quick.verdicts import Verdict, verdicts
from studies.definition.queries import get

STARTER = gettext_noop(
    "Folder and file names were hidden from everyone until the end. The person who started the test may have been one "
    "of the listeners."
)


@dataclass(frozen=True, slots=True)
class Result:
    """A test with its answers."""

    kept: Kept
    collected: Collected
    verdicts: tuple[Verdict, ...]
    is_stopped: bool

    @property
    def stopped(self) -> str:
        """How the test was stopped; empty if it ended as planned."""
        if not self.is_stopped:
            return ""
        return _("Stopped by hand after {given} of {planned} answers.").format(
            given=self.collected.given, planned=self.kept.answers
        )

    @property
    def lines(self) -> list[str]:
        """The result in sentences: how the test was stopped, then one of each pair."""
        task, count = self.kept.request.task, len(self.verdicts)
        lines = [languages.translate(joined(*sentences(each, task, count))) for each in self.verdicts]
        return [*([self.stopped] if self.stopped else []), *(lines or [_("No answer was given.")])]


def compare(kept: Kept, collected: Collected, *, is_stopped: bool) -> Result:
    """Compare the folders by the answers."""
    compared = verdicts(collected.answers, kept.folders, kept.request.task, kept.request.seed)
    return Result(kept, collected, tuple(compared), is_stopped)


def write(result: Result, folder: Path) -> list[Path]:
    """Write report.html, result.json, answers.csv and files.csv; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("report.html", "result.json", "answers.csv", "files.csv")]
    report, data, answers, files = paths
    report.write_text(_page(result), encoding="utf-8")
    data.write_text(json.dumps(as_json(result), ensure_ascii=False, indent=1), encoding="utf-8")
    _table(answers, (each._asdict() for each in result.collected.answers))
    _table(files, (each.model_dump(mode="json") for each in result.kept.files))
    return paths


def as_json(result: Result) -> dict[str, Any]:
    """Return everything that is needed to repeat and to check the result."""
    kept, collected = result.kept, result.collected
    heard_first = [each.heard_first for each in collected.answers if each.heard_first]
    return {
        "version": settings.VERSION,
        "task": kept.request.task,
        "seed": kept.request.seed,
        "options": kept.request.model_dump(mode="json"),
        "started_at": kept.started_at,
        "stopped": result.stopped,
        "answers": collected.given,
        "answers_planned": kept.answers,
        "listeners": collected.listeners,
        "complete": collected.complete,
        "heard_first": {name: heard_first.count(name) for name in kept.folders},
        "without_partner": list(kept.alone),
        "same_sound": kept.identical,
        "repairs": kept.repairs,
        "differences": differences(kept),
        "result": result.lines,
        "pairs": [asdict(each) for each in result.verdicts],
        "files": [each.model_dump(mode="json") for each in kept.files],
        "note": STARTER,
    }


def _page(result: Result) -> str:
    """Return the report in every language with a catalogue: its script shows the one of the browser."""
    versions = []
    for code in settings.CATALOGUES:
        with languages.speaking(code):
            versions.append({"code": code, "html": render_to_string("quick/result.html", _context(result))})
    return render_to_string("quick/report.html", {"versions": versions})


def _context(result: Result) -> Mapping[str, Any]:
    kept = result.kept
    pairs = [
        {"first": each.first, "second": each.second, "rows": [_files(kept, text, each) for text in each.against]}
        for each in result.verdicts
    ]
    return {
        "lines": result.lines, "facts": _facts(result), "pairs": pairs, "differences": differences(kept),
        "note": _(STARTER), "is_abx": kept.request.task == "abx",
    }  # fmt: skip


def differences(kept: Kept) -> list[str]:
    """Return sentences with the names of folders; they are shown only at the end."""
    return [each.text for each in alike.differences(get(kept.slug))]


def _facts(result: Result) -> Mapping[str, str]:
    kept, collected = result.kept, result.collected
    edges, band = kept.repairs.get("edges"), kept.repairs.get("band")
    return {
        _("Answers"): _("{given} of {planned}").format(given=collected.given, planned=kept.answers),
        _("Listeners"): _("{number} ({finished} finished)").format(
            number=collected.listeners, finished=collected.complete
        ),
        _("Texts"): str(len(kept.texts)),
        _("Task"): kept.request.task,
        _("Loudness"): _("not matched") if kept.request.as_is else _("matched, gains in files.csv"),
        _("Edges"): _("{seconds} s of silence").format(seconds=f"{edges:g}") if edges else _("not changed"),
        _("Bandwidth"): _("limited to {hertz} Hz").format(hertz=f"{band:g}") if band else _("not changed"),
        _("Seed"): str(kept.request.seed),
        "Earshot": settings.VERSION,
    }


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
