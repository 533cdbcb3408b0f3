"""The tables of the HFR paper, from studies with the counts that its percentages come from."""

from __future__ import annotations

import json

import pytest

from analysis.papers.index import tables
from analysis.sections.tables import Table
from studies.task_types.hfr_granular import MARKER_NAMES
from tests.analysis.papers.made import breakdown, column, printed, shares, study

BENCHMARKS = ("LJSpeech", "LibriTTS", "LibriSpeech")
# Out of 300 answers each.
TABLE_1 = {
    "human": (235, 220, 212),
    "StyleTTS2": (184, 137, 137),
    "F5-TTS": (149, 131, 141),
    "XTTS": (178, 124, 114),
    "GPT-SoVITS": (123, 94, 125),
    "VoiceCraft": (112, 85, 93),
}
MU = {"Human": 74.11, "StyleTTS2": 50.89, "F5-TTS": 46.78, "XTTS": 46.22, "GPT-SoVITS": 38.00, "VoiceCraft": 32.22}
HALVES = {"Human": 2.87, "StyleTTS2": 3.27, "F5-TTS": 3.27, "XTTS": 3.26, "GPT-SoVITS": 3.18, "VoiceCraft": 3.06}
MARKERS = {
    "voice_quality": (31, 42, 325), "unnatural_pauses": (18, 30, 205), "unnatural_pitch": (26, 25, 155),
    "flat": (10, 23, 185), "inappropriate_emotion": (14, 15, 103), "no_human_quirks": (12, 10, 103),
    "mispronunciations": (1, 1, 88), "skipped_repeated_words": (3, 2, 68), "digital_artifacts": (2, 3, 47),
}  # fmt: skip


def by_name(found: list[Table]) -> dict[str, Table]:
    return {table.name: table for table in found}


def table_1() -> Table:
    rows = [
        row
        for system, counts in TABLE_1.items()
        for benchmark, right in zip(BENCHMARKS, counts, strict=True)
        for row in shares(system, right, 300, benchmark=benchmark)
    ]
    return by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]


def test_table_1_prints_the_papers_rates_with_human_first_and_then_by_mu() -> None:
    found = table_1()
    assert list(printed(found, "μ")) == list(MU)
    assert {name: float(value) for name, value in printed(found, "μ").items()} == MU
    assert printed(found, "LJSpeech")["Human"] == "78.33"
    assert printed(found, "LibriSpeech")["VoiceCraft"] == "31.00"


def test_table_1_prints_the_papers_half_widths_and_their_extremes() -> None:
    found = table_1()
    assert {name: float(value) for name, value in printed(found, "±, paper").items()} == HALVES
    assert "95 % CI by the paper's formula: min. 2.87; max. 3.27." in found.notes


def test_beside_the_papers_formula_stands_an_interval_around_mu() -> None:
    found = table_1()
    low, mu, high = (column(found, name) for name in ("Low", "μ", "High"))
    assert all(low[name] < mu[name] < high[name] for name in MU)
    assert column(found, "Answers")["Human"] == 900


def test_table_1_stars_the_benchmarks_that_a_system_was_trained_on() -> None:
    seen = {("StyleTTS2", "LJSpeech"), ("StyleTTS2", "LibriTTS")}
    rows = [
        {**row, "seen": "yes" if (system, benchmark) in seen else ""}
        for system, counts in TABLE_1.items()
        for benchmark, right in zip(BENCHMARKS, counts, strict=True)
        for row in shares(system, right, 300, benchmark=benchmark)
    ]
    found = by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]
    line = next(row for row in found.shown() if row[0] == "StyleTTS2")
    # The paper's columns are in another order.
    assert line[:5] == ["StyleTTS2", "61.33*", "45.67", "45.67*", "50.89"]
    assert sum("*" in cell for row in found.shown() for cell in row) == 2
    assert found.notes[0] == "* The system was trained on this benchmark."
    assert Table.restored(json.loads(json.dumps(found.as_json))) == found
    assert r"61.33\*" in found.markdown()
    assert "61.33{*}" in found.latex()
    assert "*" not in found.csv()


def test_a_table_without_trained_systems_has_no_star_and_no_sentence_on_it() -> None:
    assert "*" not in "".join([*table_1().notes, *(cell for row in table_1().shown() for cell in row)])


def test_a_system_without_a_benchmark_gets_dashes_and_a_note_instead_of_a_mean() -> None:
    rows = [
        *shares("human", 200, 300, benchmark="A"),
        *shares("human", 100, 300, benchmark="B"),
        *shares("new", 90, 300, benchmark="A"),
    ]
    found = by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]
    assert (printed(found, "B")["new"], printed(found, "μ")["new"], printed(found, "Low")["new"]) == ("–", "–", "–")
    assert printed(found, "A")["new"] == "30.00"
    assert any("new was not heard in B" in note for note in found.notes)


def test_table_2_puts_mushra_beside_and_orders_by_rate() -> None:
    rates = {"PlayHT": (346, 484, "commercial"), "human": (340, 481, ""), "GPT-SoVITS": (215, 482, "open")}
    rows = [row for name, (right, of, domain) in rates.items() for row in shares(name, right, of, domain=domain)]
    screens = [{"system": "PlayHT", "rater": 1, "clip": 1, "score": score} for score in (85.0, 85.74)]
    screens += [{"system": "human", "kind": "human", "role": "reference", "rater": 1, "clip": 2, "score": 74.78}]
    screens += [{"system": "PlayHT", "kind": "anchor", "role": "anchor", "rater": 1, "clip": 3, "score": 5.0}]
    found = by_name(tables("hfr", [study("hfr", rows), study("mushra", screens, slug="b")]))["hfr_table2"]
    assert printed(found, "Domain") == {"PlayHT": "Closed", "Human": "Ref.", "GPT-SoVITS": "Open"}
    assert printed(found, "HFR") == {"PlayHT": "71.49", "Human": "70.69", "GPT-SoVITS": "44.61"}
    assert (printed(found, "±, paper")["PlayHT"], printed(found, "±, paper")["GPT-SoVITS"]) == ("4.04", "4.45")
    assert printed(found, "MUSHRA") == {"PlayHT": "85.37", "Human": "74.78", "GPT-SoVITS": "–"}
    assert "Not in the MUSHRA study: GPT-SoVITS." in found.notes


def test_table_3_compares_conditions_of_the_systems_that_have_two() -> None:
    rows = [
        *shares("VoiceCraft", 189, 435, condition="many-shot"),
        *shares("VoiceCraft", 137, 449, condition="zero-shot"),
        *shares("XTTS", 200, 450, condition="zero-shot"),
    ]
    found = by_name(tables("hfr", [study("hfr", rows)]))
    third = found["hfr_table3"]
    assert [each.title for each in third.columns[:2]] == ["System", "zero-shot"]
    assert printed(third, "many-shot") == {"VoiceCraft": "43.45"}
    assert printed(third, "zero-shot") == {"VoiceCraft": "30.51"}
    assert float(printed(third, "many-shot ±, paper")["VoiceCraft"]) == pytest.approx(4.67, abs=0.015)
    assert set(column(found["hfr_table2"], "HFR")) == {"VoiceCraft (many-shot)", "VoiceCraft (zero-shot)", "XTTS"}


def test_table_4_takes_percent_of_all_answers_by_domain() -> None:
    groups = {
        "human": (450, [counts[0] for counts in MARKERS.values()]),
        "commercial": (450, [counts[1] for counts in MARKERS.values()]),
        "open": (900, [counts[2] for counts in MARKERS.values()]),
    }
    labels = {code: MARKER_NAMES[code] for code in MARKERS}
    results = {"breakdowns": breakdown("marker", labels, "domain", groups)}
    granular = study("hfr_granular", shares("human", 300, 450), results)
    found = by_name(tables("hfr", [granular]))["hfr_table4"]
    assert [each.title for each in found.columns] == ["Marker", "Human", "Commercial", "Open-source"]
    assert found.shown()[0] == ["Digital voice quality", "6.9", "9.3", "36.1"]
    assert printed(found, "Open-source")["Digital artefacts"] == "5.2"
    assert found.shown()[-1] == ["Answers", "450", "450", "900"]


def test_table_5_puts_the_seconds_of_several_test_types_beside_each_other() -> None:
    def took(*seconds: float) -> list[dict[str, object]]:
        return [
            {"system": "a", "rater": 1, "clip": number, "score": 1.0, "response_seconds": each}
            for number, each in enumerate(seconds)
        ]

    found = by_name(
        tables(
            "hfr",
            [
                study("hfr", took(20.0, 24.0, 28.9)),
                study("hfr_granular", took(22.53), slug="b"),
                study("mushra", took(42.0, 42.9), slug="c"),
            ],
        )
    )["hfr_table5"]
    assert [each.title for each in found.columns] == ["Time taken", "HFR", "HFR-Granular", "MUSHRA"]
    assert found.shown()[:2] == [["Mean (s)", "24.30", "22.53", "42.45"], ["Median (s)", "24.00", "22.53", "42.45"]]


def test_answers_that_don_t_count_are_in_no_table() -> None:
    rows = [*shares("human", 300, 300), *({**row, "usable": False} for row in shares("human", 0, 300))]
    rows += [{**row, "role": "trap_human"} for row in shares("human", 0, 300)]
    found = by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]
    assert printed(found, "μ") == {"Human": "100.00"}


def test_a_study_of_another_kind_gets_sentences_and_no_numbers() -> None:
    rows = [{"system": "a", "rater": 1, "clip": 1, "score": 1.0}]
    found = by_name(tables("hfr", [study("ternary", rows)]))
    assert [found[f"hfr_table{number}"].rows for number in (1, 2, 3, 4)] == [()] * 4
    assert all(found[f"hfr_table{number}"].notes for number in range(1, 6))


def test_few_raters_give_a_rate_and_no_interval() -> None:
    rows = [{**row, "rater": row["rater"] % 3} for row in shares("new", 10, 30)]
    found = by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]
    assert (printed(found, "μ")["new"], printed(found, "Low")["new"]) == ("33.33", "–")
    assert any("Too few" in note for note in found.notes)


def test_fewer_than_five_shared_texts_give_an_interval_by_raters_alone_and_a_note() -> None:
    rows = [{**row, "clip": row["clip"] % 6, "text": f"text-{row['clip'] % 3}"} for row in shares("new", 10, 30)]
    rows += [{**row, "system": "old", "clip": 100 + row["clip"]} for row in rows]
    found = by_name(tables("hfr", [study("hfr", rows)]))["hfr_table1"]
    assert printed(found, "Low")["new"] != "–"
    assert any("for these texts only" in note for note in found.notes)
