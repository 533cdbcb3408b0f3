"""The tables of the Audio Turing Test paper."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import pytest

from analysis.papers.index import tables
from analysis.sections.tables import Table
from tests.analysis.papers.made import hash_of, study
from tests.analysis.papers.printed import rows

# Seed-TTS in the paper's Table 6: voices down; special, code, paralinguistic, classical, polyphonic across.
DIMENSIONS = ("special", "code", "paraling", "classical", "poly")
SEED = {
    "Alvin": (0.4, 0.36, 0.395, 0.4, 0.3625),
    "Brayan": (0.4125, 0.3925, 0.36, 0.405, 0.4295),
    "moon": (0.365, 0.36, 0.4, 0.3225, 0.3),
    "skye": (0.44, 0.44, 0.5175, 0.475, 0.5),
}
NAMES = {
    "Special Characters and Numerals": "special", "Chinese-English Code-switching": "code",
    "Paralinguistic Features and Emotions": "paraling", "Classical Chinese Poetry/Prose": "classical",
    "Polyphonic Characters": "poly",
}  # fmt: skip
BAYES: dict[str, Any] = {
    "formula": "score ~ 0 + system + (1 | rater) + (1 | rater:system)",
    "systems": [
        {"name": line["system"], "kind": "", "mean": float(line["posterior_mean"]), "sd": float(line["posterior_sd"]),
         "low": float(line["hdi95_low"]), "high": float(line["hdi95_high"]),
         "rhat": 1.0004, "ess_bulk": 2000.4, "ess_tail": 2600.0}
        for line in rows("att_table3")
    ] + [
        {"name": "human", "kind": "human", "mean": 0.8, "sd": 0.01, "low": 0.78, "high": 0.82,
         "rhat": 1.0, "ess_bulk": 3000.0, "ess_tail": 3000.0},
    ],
    # Both SDs of the paper's section 4.1.1.
    "sds": {
        "rater": {"name": "rater", "kind": "", "mean": 0.234, "sd": 0.006, "low": 0.222, "high": 0.246, "rhat": 1.0,
                  "ess_bulk": 900.0, "ess_tail": 950.0},
        "rater:system": {"name": "rater:system", "kind": "", "mean": 0.108, "sd": 0.004, "low": 0.1, "high": 0.116,
                         "rhat": 1.0, "ess_bulk": 900.0, "ess_tail": 950.0},
    },
    "priors": "flat", "draws": 4000, "method": "slice", "worst_rhat": 1.001, "least_ess": 900.0, "ratings": 20000,
    "raters": 857, "scope": "for these clips only", "notes": ["One note."],
}  # fmt: skip


def cells(system: str, voices: dict[str, tuple[float, ...]], of: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield answers 0, ½ or 1 whose means are those of the cells, in two boxes; by default as many as that takes."""
    for voice, means in voices.items():
        for dimension, mean in zip(DIMENSIONS, means, strict=True):
            many = of or next(many for many in (200, 1000) if round(2 * mean * many, 6).is_integer())
            halves = round(2 * mean * many)
            for number in range(many):
                score = ((number + 1) * halves // many - number * halves // many) / 2
                clip = hash_of(f"{voice}-{dimension}-{number % 10}")
                labels = {"system": system, "voice": voice, "dimension": dimension, "score": score}
                yield {**labels, "rater": number % 40, "clip": clip, "box": ("white", "black")[number // 10 % 2]}


def made(**options: Any) -> dict[str, Table]:
    answers = options.pop("rows", None) or cells("Seed-TTS", SEED, 40)
    return {table.name: table for table in tables("att", [study("ternary", answers, options)])}


def test_table_6_prints_every_cell_of_the_paper_with_unweighted_margins() -> None:
    published: dict[str, dict[str, dict[str, float]]] = {}
    for line in rows("att_table6"):
        voices = published.setdefault(line["system"], {})
        voices.setdefault(line["voice"], {})[NAMES[line["dimension"]]] = float(line["hls"])
    answers = [
        answer
        for system, voices in published.items()
        for answer in cells(system, {voice: tuple(row[name] for name in DIMENSIONS) for voice, row in voices.items()})
    ]
    table = made(rows=answers)["att_table6"]
    titles = [column.title for column in table.columns[2:]]
    lines = {(row[0], row[1]): dict(zip(titles, map(float, row[2:]), strict=True)) for row in table.shown()}
    for system, voices in published.items():
        for voice, row in voices.items():
            assert {name: lines[system, voice][name] for name in DIMENSIONS} == row
            assert lines[system, voice]["Mean"] == pytest.approx(fmean(row.values()), abs=0.00005001)
        for name in DIMENSIONS:
            mean = fmean(row[name] for row in voices.values())
            assert lines[system, "All voices"][name] == pytest.approx(mean, abs=0.00005001)
    # The 20 voices of Table 2, and a row for each of the five families.
    assert len(lines) == 25


def test_a_voice_without_a_dimension_has_a_dash_there_and_in_its_margins() -> None:
    answers = [row for row in cells("new", {"a": (0.5,) * 5, "b": (0.25,) * 5}, 40)
            if (row["voice"], row["dimension"]) != ("b", "poly")]  # fmt: skip
    table = made(rows=answers)["att_table6"]
    shown = {row[1]: row[2:] for row in table.shown()}
    assert shown["b"][3] == "–"
    assert shown["b"][-1] == "–"
    assert (shown["a"][-1], shown["All voices"][3], shown["All voices"][-1]) == ("0.5000", "–", "–")
    assert any("nobody rated" in note for note in table.notes)


def test_figure_2_holds_means_and_intervals_by_box_and_by_dimension() -> None:
    found = made(rows=cells("Seed-TTS", SEED, 1000))
    [line] = found["att_figure2a"].rows
    titles = [column.title for column in found["att_figure2a"].columns]
    assert titles == ["System", "overall", "overall low", "overall high", "white", "white low", "white high", "black",
                      "black low", "black high"]  # fmt: skip
    assert line[1] == pytest.approx(0.40185, abs=0.0005)
    assert float(line[2] or 0) < 0.40185 < float(line[3] or 0)
    [by_dimension] = found["att_figure2b"].rows
    assert by_dimension[1 + 3 * sorted(DIMENSIONS).index("special")] == pytest.approx(0.4044, abs=0.0005)


def test_without_boxes_or_dimensions_a_sentence_says_so() -> None:
    plain = [{**row, "box": "", "dimension": ""} for row in cells("new", {"a": (0.5,) * 5}, 40)]
    found = made(rows=plain)
    assert any("not in two boxes" in note for note in found["att_figure2a"].notes)
    empty = found["att_figure2b"]
    assert empty.rows == ()
    assert empty.markdown().endswith("dimension**\n\nThe manifest names no dimension.\n")
    assert "tabular" not in empty.latex()
    assert found["att_table6"].shown() == [["new", "a", "0.5000", "0.5000"]]


def test_table_3_prints_the_papers_posterior_with_diagnostics_of_systems_and_sds() -> None:
    table = made(models={"bayes": BAYES})["att_table3"]
    assert table.shown()[0] == ["Human", "0.800", "0.010", "0.780", "0.820", "1.000", "3000", "3000"]
    assert [row[:5] for row in table.shown()[1:6]] == [list(line.values()) for line in rows("att_table3")]
    assert table.shown()[1][5:] == ["1.000", "2000", "2600"]
    assert table.shown()[6][:5] == ["SD of raters (random intercept)", "0.234", "0.006", "0.222", "0.246"]
    assert [row[1:5] for row in table.shown()[7:8]] == [["0.108", "0.004", "0.100", "0.116"]]
    assert "One note." in table.notes


def test_table_3_has_dashes_for_an_sd_that_could_not_be_estimated() -> None:
    table = made(models={"bayes": {**BAYES, "sds": {**BAYES["sds"], "rater:system": None}}})["att_table3"]
    assert table.shown()[7][1:] == ["–"] * 7


def test_a_withheld_model_prints_its_reason_and_no_number() -> None:
    for results in (
        {"models": {"bayes": {"refused": "The chains did not agree."}}},
        {"models": {"refused": "One rater."}},
    ):
        table = made(**results)["att_table3"]
        assert table.rows == ()
        assert table.notes[0].startswith("Withheld: ")
    assert made()["att_table3"].notes == ("Withheld: This was not computed.",)


def test_a_study_of_another_task_is_named_and_not_joined() -> None:
    first = study("ternary", cells("new", {"a": (0.5,) * 5}, 40))
    other = study("mushra", [{"system": "new", "rater": 1, "clip": 1, "score": 80.0}], slug="sliders")
    found = {table.name: table for table in tables("att", [first, other])}
    assert found["att_table6"].rows[0][-1] == 0.5
    assert any("sliders" in note for note in found["att_table6"].notes)
