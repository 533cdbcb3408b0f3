"""The tables of the Audio Turing Test paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from analysis.papers.index import tables
from analysis.sections.tables import Table
from tests.analysis.papers.made import hash_of, study

# Seed-TTS in the paper's Table 6: voices down; special, code, paralinguistic, classical, polyphonic across.
DIMENSIONS = ("special", "code", "paraling", "classical", "poly")
SEED = {
    "Alvin": (0.4, 0.36, 0.395, 0.4, 0.3625),
    "Brayan": (0.4125, 0.3925, 0.36, 0.405, 0.4295),
    "moon": (0.365, 0.36, 0.4, 0.3225, 0.3),
    "skye": (0.44, 0.44, 0.5175, 0.475, 0.5),
}
BAYES = {
    "formula": "score ~ 0 + system + (1 | rater) + (1 | rater:system)",
    "systems": [
        {"name": "MiniMax-Speech", "kind": "", "mean": 0.387, "sd": 0.0106, "low": 0.368, "high": 0.407,
         "rhat": 1.001, "ess_bulk": 2100.0, "ess_tail": 2500.0},
        {"name": "Seed-TTS", "kind": "", "mean": 0.4172, "sd": 0.0107, "low": 0.3977, "high": 0.438,
         "rhat": 1.0004, "ess_bulk": 2000.4, "ess_tail": 2600.0},
        {"name": "human", "kind": "human", "mean": 0.8, "sd": 0.01, "low": 0.78, "high": 0.82,
         "rhat": 1.0, "ess_bulk": 3000.0, "ess_tail": 3000.0},
    ],
    "sds": {
        "rater": {"name": "rater", "kind": "", "mean": 0.234, "sd": 0.006, "low": 0.222, "high": 0.246, "rhat": 1.0,
                  "ess_bulk": 900.0, "ess_tail": 950.0},
        "rater:system": None,
    },
    "priors": "flat", "draws": 4000, "method": "slice", "worst_rhat": 1.001, "least_ess": 900.0, "ratings": 20000,
    "raters": 857, "scope": "for these clips only", "notes": ["Too few cells for a slope."],
}  # fmt: skip


def cells(system: str, voices: dict[str, tuple[float, ...]], of: int = 2000) -> Iterator[dict[str, Any]]:
    """Yield answers 0, ½ or 1 whose means are those of the cells, in two boxes."""
    for voice, means in voices.items():
        for dimension, mean in zip(DIMENSIONS, means, strict=True):
            halves = round(2 * mean * of)
            for number in range(of):
                score = ((number + 1) * halves // of - number * halves // of) / 2
                clip = hash_of(f"{voice}-{dimension}-{number % 10}")
                labels = {"system": system, "voice": voice, "dimension": dimension, "score": score}
                yield {**labels, "rater": number % 40, "clip": clip, "box": ("white", "black")[number // 10 % 2]}


def made(**options: Any) -> dict[str, Table]:
    rows = options.pop("rows", None) or cells("Seed-TTS", SEED)
    return {table.name: table for table in tables("att", [study("ternary", rows, options)])}


def test_table_6_prints_every_cell_with_the_papers_margins() -> None:
    table = made()["att_table6"]
    lines = {(row[0], row[1]): row[2:] for row in table.rows}
    for voice, means in SEED.items():
        assert lines["Seed-TTS", voice][:5] == pytest.approx(sorted_by_name(means), abs=0.0003)
    assert lines["Seed-TTS", "skye"][-1] == pytest.approx(0.4745, abs=0.0001)
    assert lines["Seed-TTS", "moon"][-1] == pytest.approx(0.3495, abs=0.0001)
    assert lines["Seed-TTS", "All voices"][-1] == pytest.approx(0.40185, abs=0.0001)
    everyone = dict(zip((column.title for column in table.columns[2:]), lines["Seed-TTS", "All voices"], strict=True))
    dimensions = (0.4044, 0.3881, 0.4181, 0.4006, 0.3980)
    assert [everyone[name] for name in DIMENSIONS] == pytest.approx(dimensions, abs=0.0001)


def sorted_by_name(means: tuple[float, ...]) -> list[float]:
    return [mean for _, mean in sorted(zip(DIMENSIONS, means, strict=True))]


def test_a_voice_without_a_dimension_has_a_dash_there_and_in_its_margins() -> None:
    rows = [row for row in cells("new", {"a": (0.5,) * 5, "b": (0.25,) * 5}, 40)
            if (row["voice"], row["dimension"]) != ("b", "poly")]  # fmt: skip
    table = made(rows=rows)["att_table6"]
    shown = {row[1]: row[2:] for row in table.shown()}
    assert shown["b"][3] == "–"
    assert shown["b"][-1] == "–"
    assert (shown["a"][-1], shown["All voices"][3], shown["All voices"][-1]) == ("0.5000", "–", "–")
    assert any("nobody rated" in note for note in table.notes)


def test_figure_2_holds_means_and_intervals_by_box_and_by_dimension() -> None:
    found = made()
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


def test_table_3_prints_posterior_hdi_and_diagnostics_of_systems_and_sds() -> None:
    table = made(models={"bayes": BAYES})["att_table3"]
    assert table.shown()[:3] == [
        ["Human", "0.800", "0.010", "0.780", "0.820", "1.000", "3000", "3000"],
        ["Seed-TTS", "0.417", "0.011", "0.398", "0.438", "1.000", "2000", "2600"],
        ["MiniMax-Speech", "0.387", "0.011", "0.368", "0.407", "1.001", "2100", "2500"],
    ]
    assert table.shown()[3][:5] == ["SD of raters (random intercept)", "0.234", "0.006", "0.222", "0.246"]
    assert table.shown()[4][1:] == ["–"] * 7
    assert "Too few cells for a slope." in table.notes


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
