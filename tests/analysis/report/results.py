"""Results as an analysis leaves them, written by hand, with names that no page may read anything into."""

from __future__ import annotations

from typing import Any

EVIL = "<script>alert(1)</script> $x^2$ & \"q\" 'p'"
HUMAN, FIRST, SECOND = "human", "alpha", EVIL


def group(name: str, mean: float, **changes: Any) -> dict[str, Any]:
    """Return a group's score with an interval of ± .05."""
    return {
        "name": name,
        "kind": "human" if name == HUMAN else "",
        "system": "",
        "mean": mean,
        "low": mean - 0.05,
        "high": mean + 0.05,
        "method": "two-way",
        "error": 0.02,
        "df": 20,
        "note": "",
        "ratings": 200,
        "raters": 40,
        "clips": 24,
        "sd": 0.4,
        "clip_mean": mean,
        "equal_mean": mean,
        "is_apart": False,
        "comparisons": [{"label": "paper", "low": mean - 0.01, "high": mean + 0.01}],
        "without_traps": mean - 0.02,
        "without_traps_ratings": 240,
        "shares": {},
        **changes,
    }


def posterior(name: str, mean: float) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "human" if name == HUMAN else "",
        "mean": mean,
        "sd": 0.01,
        "low": mean - 0.02,
        "high": mean + 0.02,
        "rhat": 1.001,
        "ess_bulk": 2000.0,
        "ess_tail": 2100.0,
    }


def bayes(means: dict[str, float], sds: dict[str, Any], scope: str) -> dict[str, Any]:
    """Return a Bayesian model with those means and SDs."""
    return {
        "formula": " + ".join(["score ~ 0 + system", *(f"(1 | {term})" for term in sds if sds[term])]),
        "systems": [posterior(*each) for each in means.items()],
        "sds": sds,
        "priors": "Normal.",
        "draws": 4000,
        "method": "m",
        "worst_rhat": 1.001,
        "least_ess": 2000.0,
        "ratings": 600,
        "raters": 40,
        "scope": scope,
        "notes": [],
    }


def pair(first: str, second: str, difference: float) -> dict[str, Any]:
    ends = {"low": difference - 0.06, "high": difference + 0.06}
    wide = {"low_all": difference - 0.09, "high_all": difference + 0.09}
    return {
        "first": first,
        "second": second,
        "difference": difference,
        "error": 0.03,
        "df": 20.0,
        **ends,
        **wide,
        "p": 0.0004,
    }


def tier(name: str, mean: float, letters: str, ranks: list[float]) -> dict[str, Any]:
    return {"name": name, "kind": "human" if name == HUMAN else "", "mean": mean, "letters": letters, "ranks": ranks}


def results(**changes: Any) -> dict[str, Any]:
    """Return the results of an ATT study in two boxes and two dimensions; `changes` replace whole sections."""
    means = {HUMAN: 0.85, FIRST: 0.4, SECOND: 0.2}
    cells = [[group("数字", mean), group("poetry", mean) if name != SECOND else None] for name, mean in means.items()]
    crossed = [
        {"name": name, "kind": "human" if name == HUMAN else "", "cells": line, "mu": means[name], "of": 2}
        for name, line in zip(means, cells, strict=True)
    ]
    labels = {"human": "Human", "unclear": "Unclear", "machine": "Machine"}
    return {
        "schema": 1,
        "study": {
            "slug": "a-study",
            "title": f"听力 {EVIL}",
            "preset": "att",
            "task_type": "ternary",
            "task": "Human or not",
            "language": "zh",
            "launched_at": "2026-03-02T09:30:00+00:00",
            "versions": [1, 2],
            "simulated": "without",
            "scale": {"name": "HLS", "low": 0.0, "high": 1.0, "unit": "", "is_human": True, "codes": labels},
        },
        "inputs": {
            "fingerprint": "f" * 64,
            "ratings": 900,
            "counted": 600,
            "code_version": "1.0+abc",
            "seed": 7,
            "settings": {},
        },
        "design": {
            "protocol": {"playback": "enforce", "max_plays": None, "ratings_wanted": 10},
            "parameters": {"question": EVIL},
            "systems": [
                {
                    "name": name,
                    "kind": "human" if name == HUMAN else "",
                    "clips": 24,
                    "texts": 12,
                    "voices": [EVIL],
                    "raters": 40,
                    "ratings": 200,
                }
                for name in means
            ],
            "clips": 72,
            "texts": 12,
            "raters": 40,
            "dimensions": ["数字", "poetry"],
            "benchmarks": [],
            "languages": ["zh"],
            "human_tests": True,
            "pieces": "text",
            "margin": None,
            "scope": ["For these voices."],
        },
        "participants": {
            "steps": [
                {"key": key, "label": label, "count": count, "is_exit": is_exit}
                for key, label, count, is_exit in (
                    ("arrived", "arrived", 60, False),
                    ("declined", "did not agree", 5, True),
                    ("consented", "agreed to take part", 55, False),
                    ("analysed", "contributed usable ratings", 40, False),
                )
            ],
            "raters": 40,
            "minutes_median": 11.04,
            "minutes_sessions": 50,
            "batches": {"valid": 100, "invalid": 20},
        },
        "exclusions": {
            "given": 800,
            "counted": 600,
            "raters_given": 55,
            "raters_counted": 40,
            "pending": 3,
            "late": 0,
            "surplus": 0,
            "reasons": [
                {"reason": "traps", "label": "batch failed its traps", "ratings": 200, "raters": 18, "alone": 190}
            ],
        },
        "scores": {
            "by": {"system": [group(name, mean) for name, mean in means.items()]},
            "crossed": {"dimension": {"columns": ["数字", "poetry"], "rows": crossed}},
            "notes": ["A note."],
        },
        "baseline": {
            "source": "test",
            "human": group(HUMAN, 0.85),
            "margin": 0.1,
            "note": "",
            "systems": [{"name": FIRST, "difference": -0.45, "low": -0.5, "high": -0.4, "verdict": "inferior"}],
        },
        "models": {
            "fast": {"refused": "One rater is too few."},
            "clips": {"refused": "One rater is too few."},
            "adjusted": {"refused": "One rater is too few."},
            "answers": {"refused": "One rater is too few."},
            "answers_clips": {"refused": "One rater is too few."},
            "bayes": bayes(means, {"rater": posterior("rater", 0.2), "rater:system": None}, "for these clips only"),
            "bayes_clips": {"refused": "One rater is too few."},
        },
        "contrasts": {
            "pairs": [pair(HUMAN, FIRST, 0.45), pair(FIRST, SECOND, 0.05)],
            "left_out": [],
            "ranks_from": "",
            "tiers": [
                tier(HUMAN, 0.85, "a", [1.0, 0.0, 0.0]),
                tier(FIRST, 0.4, "b", [0.0, 0.8, 0.2]),
                tier(SECOND, 0.2, "b", [0.0, 0.2, 0.8]),
            ],
        },
        "detection": {"refused": "There is no human speech."},
        "boxes": {
            "systems": [{"name": FIRST, "white": 0.45, "black": 0.35, "gap": 0.1, "low": 0.0, "high": 0.2}],
            "overall": {"name": "", "white": 0.45, "black": 0.35, "gap": 0.1, "low": 0.0, "high": 0.2},
            "ranks": None,
        },
        "agreement": {
            "alpha": [
                {
                    "name": "",
                    "kind": "",
                    "metric": "ordinal",
                    "alpha": 0.33,
                    "low": 0.2,
                    "high": 0.4,
                    "units": 72,
                    "ratings": 600,
                }
            ],
            "fleiss": None,
            "cohen": 0.2351,
            "cohen_pairs": 241,
            "halves": None,
            "notes": [],
        },
        "quality": {
            "traps": [{"key": "trap_human", "label": "human traps", "asked": 240, "right": 200, "share": 5 / 6}],
            "batches_valid": 100,
            "batches_decided": 120,
            "guesser": 0.185,
            "slope": None,
            "notes": [],
            "drift": [
                {"first": 1, "last": 3, "ratings": 90, "score": 0.5, "response": 19.0},
                {"first": 4, "last": 6, "ratings": 80, "score": 0.48, "response": None},
            ],
        },
        "times": {
            "rows": [
                {
                    "name": FIRST,
                    "kind": "",
                    "clips": 200,
                    "response_median": 18.44,
                    "response_mean": 19.41,
                    "decision_median": None,
                    "decision_mean": None,
                }
            ]
        },
        "breakdowns": {
            "tables": [
                {
                    "title": "Markers",
                    "part": "marker",
                    "per": "",
                    "lines": [
                        {"code": "flat", "label": "Flat", "of": []},
                        {"code": "pause", "label": "Pauses", "of": []},
                    ],
                    "groups": {
                        "system": [
                            {"name": HUMAN, "kind": "human", "of": 200, "counts": [10, 4]},
                            {"name": FIRST, "kind": "", "of": 200, "counts": [60, 90]},
                        ]
                    },
                }
            ]
        },
        "multiverse": {
            "systems": list(means),
            "rules": ["traps", "late"],
            "same_order": 3,
            "universes": [
                {
                    "rules": rules,
                    "ratings": [100, 100, 100],
                    "scores": [0.85, 0.4 - at / 50, None if at == 3 else 0.2],
                    "order": [],
                }
                for at, rules in enumerate(([], ["traps"], ["late"], ["traps", "late"]))
            ],
        },
        "metrics": {
            "tables": [
                {
                    "name": "WER",
                    "source": "",
                    "direction": "lower",
                    "scale": None,
                    "scored": 24,
                    "failed": 0,
                    "missing": 0,
                    "systems": [{"name": FIRST, "kind": "", "mean": 8.067, "score": 0.4, "clips": 24, "ratings": 200}],
                    "clip": {"pearson": -0.5, "spearman": -0.45, "n": 72},
                    "system": {"refused": "Two systems are too few."},
                }
            ]
        },
        **changes,
    }


def nothing() -> dict[str, Any]:
    """Return results of which every section was refused."""
    made = results()
    return {
        key: value if key in ("schema", "study", "inputs") else {"refused": f"No {key} here."}
        for key, value in made.items()
    }
