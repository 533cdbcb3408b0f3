"""Materials made of counts, so that what a table must print is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from analysis.sections.results import Material, load
from studies import task_types
from studies.definition import presets
from tests.analysis.report.results import results as made_results

TEXT: dict[str, Any] = {
    "role": "test", "system": "", "kind": "", "voice": "", "dimension": "", "benchmark": "", "condition": "",
    "domain": "", "box": "", "take": "", "text": "", "language": "en", "seen": "", "code": "", "reasons": "",
}  # fmt: skip
PLAIN = TEXT | {
    "batch": 1, "question": 0, "position": 1, "version": 1, "usable": True, "late": False, "surplus": False,
    "response_seconds": 10.0, "decision_seconds": 2.0, "simulated": False,
}  # fmt: skip
RATERS, UTTERANCES = 30, 30
# Results of which no section was computed.
BARE: dict[str, Any] = {name: made_results()[name] for name in ("schema", "study", "inputs")}


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return ratings with the columns that every frame has; what a row does not say has a plain value."""
    listed = [
        {**PLAIN, "rating": number, "trial": number, "item": row["clip"], "session": row["rater"], **row}
        for number, row in enumerate(rows, start=1)
    ]
    return pd.DataFrame(listed).astype(dict.fromkeys(TEXT, "category"))


def study(kind: str, rows: Iterable[Mapping[str, Any]], results: Any = None, slug: str = "a-study") -> Material:
    """Return a study of a task type with these ratings."""
    definition = next(each.definition for each in presets.by_name().values() if each.definition.task_type == kind)
    loaded = load({**BARE, **(results or {})})
    return Material(slug, f"Study {slug}", task_types.get(kind), definition, frame(rows), loaded)


def shares(system: str, right: int, of: int, **labels: Any) -> Iterable[dict[str, Any]]:
    """Yield `of` answers to a system, `right` times 1 and otherwise 0: 30 raters in turn hear their own utterances.

    Raters and clips differ by as much as in a study: the answers with the highest sums of both and of chance are 1.
    """
    name = f"{system}-{labels.get('benchmark', '')}-{labels.get('condition', '')}"
    rng, numbers = np.random.default_rng(crc32(name.encode())), np.arange(of)
    raters, clips = numbers % RATERS, (numbers // RATERS + numbers) % UTTERANCES
    latent = np.random.default_rng(0).normal(0, 0.7, RATERS)[raters] + rng.normal(0, 0.5, UTTERANCES)[clips]
    scores = np.zeros(of)
    scores[np.argsort(latent + rng.logistic(size=of))[of - right :]] = 1
    kind = "human" if system == "human" else ""
    for rater, clip, score in zip(raters, clips, scores, strict=True):
        answer = {"rater": int(rater), "clip": hash_of(f"{name}-{clip}"), "score": float(score)}
        yield {"system": system, "kind": kind, **answer, **labels}


def hash_of(name: str) -> int:
    """Return a number for a clip's name, the same in every run."""
    return int.from_bytes(name.encode()[-7:], "big") * 1_000_003 % (1 << 61) + len(name)


def column(table: Any, title: str) -> dict[str, Any]:
    """Return a column of a table by the text in the first one."""
    at = [each.title for each in table.columns].index(title)
    return {row[0]: row[at] for row in table.rows}


def printed(table: Any, title: str) -> dict[str, str]:
    """Return a column as people read it."""
    at = [each.title for each in table.columns].index(title)
    return {row[0]: row[at] for row in table.shown()}


def breakdown(part: str, labels: Mapping[str, str], by: str, groups: Mapping[str, tuple[int, list[int]]]) -> Any:
    """Return the section of results that holds one breakdown."""
    listed = [
        {"name": name, "kind": "human" if name == "human" else "", "of": of, "counts": counts}
        for name, (of, counts) in groups.items()
    ]
    lines = [{"code": code, "label": label, "of": []} for code, label in labels.items()]
    return {"tables": [{"title": "", "part": part, "per": "", "lines": lines, "groups": {by: listed}}]}
