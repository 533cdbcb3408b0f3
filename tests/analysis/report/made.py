"""Analyses of small studies, and of ratings that no study has: quick enough for tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.data import frame
from analysis.report import computing, gathering
from analysis.sections.inputs import AnalysisInput, CollectedFacts, Settings
from analysis.sections.results import dump
from studies.definition import presets
from studies.models import Study

# Everything but the Bayesian model, which takes seconds where the rest takes a tenth of one.
QUICK = tuple(name for name in computing.NAMES if name != "models")
FACTS: dict[str, Any] = {
    "slug": "made",
    "title": "Made",
    "launched_at": None,
    "ways": [],
    "checks": [],
    "attention": {"asked": 0, "failed": 0, "sessions": 0, "sessions_failed": 0},
    "screening_changed": False,
    "minutes": [],
    "batches": {"valid": 0, "invalid": 0},
    "guesser": None,
    "traps": [],
    "human_traps": {"rater": [], "clip": [], "score": []},
    "breakdowns": [],
    "times": [],
    "pending": 0,
    "first_trials": None,
    "metrics": {"tables": []},
}


def settings(**changes: Any) -> Settings:
    """Return the settings of an analysis of version 1."""
    given = {"simulated": "without", "versions": (1,), "seed": 1, "draws": 1000, "sections": QUICK}
    return Settings(**{**given, **changes})


def gathered(study: Study, **changes: Any) -> AnalysisInput:
    """Read a study's inputs."""
    return gathering.gather(study, settings(**changes))


def analysed(study: Study, **changes: Any) -> dict[str, Any]:
    """Return a study's results as they are stored, models left out."""
    return dump(computing.compute(gathered(study, **changes)))


def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return ratings as analyses read them; what a row doesn't say is as in an ordinary test rating."""
    full = [
        {
            **dict.fromkeys(("trial", "rating", "item", "clip"), number),
            **dict.fromkeys(("batch", "session", "version", "position"), 1),
            **dict.fromkeys(frame.OF_CLIP, ""),
            "role": "test",
            "question": 0,
            "code": "",
            "reasons": "",
            "usable": True,
            "late": False,
            "surplus": False,
            "simulated": False,
            "response_seconds": 9.0,
            "decision_seconds": 3.0,
            **row,
        }
        for number, row in enumerate(rows, start=1)
    ]
    found = pd.DataFrame(full)[list(frame.COLUMNS)]
    for name in (*frame.OF_CLIP, "code", "reasons"):
        found[name] = found[name].astype("category")
    return found


def given(rows: list[dict[str, Any]], preset: str = "att", **changes: Any) -> AnalysisInput:
    """Return ratings as the inputs of an analysis, without a database."""
    definition = presets.get(preset).definition
    return AnalysisInput(definition, table(rows), CollectedFacts.model_validate({**FACTS, **changes}), settings())


def crowd(
    systems: dict[str, float], raters: int = 16, clips: int = 6, each: int = 1, seed: int = 3
) -> list[dict[str, Any]]:
    """Return Human, Unclear or Machine of so many raters on so many clips a system; raters differ, and clips do."""
    rng = np.random.default_rng(seed)
    people, pieces = rng.normal(0, 0.15, raters), rng.normal(0, 0.1, (len(systems), clips))
    rows: list[dict[str, Any]] = []
    for rater in range(raters):
        for at, (system, mean) in enumerate(systems.items()):
            for clip in range(0, clips, each):
                passes = mean + people[rater] + pieces[at, clip] + rng.normal(0, 0.3)
                score = float(np.clip(np.round(2 * passes) / 2, 0, 1))
                rows.append(
                    {
                        "rater": rater,
                        "session": rater,
                        "system": system,
                        "kind": "human" if system == "human" else "",
                        "voice": f"{system}-voice",
                        "clip": 100 * at + clip,
                        "item": 100 * at + clip,
                        "text": f"text-{clip}",
                        "dimension": ("poetry", "code")[clip % 2],
                        "position": 1 + len(rows) % 30,
                        "score": score,
                        "code": {0.0: "machine", 0.5: "unclear", 1.0: "human"}[score],
                    }
                )
    return rows
