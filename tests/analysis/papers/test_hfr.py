"""The tables of the HFR paper, from studies with the counts that its percentages come from."""

from __future__ import annotations

import json

import numpy as np

from analysis.papers.index import tables
from analysis.papers.shared import half_width
from analysis.sections.tables import Table
from studies.task_types.hfr_granular import MARKER_NAMES
from tests.analysis.papers.made import breakdown, column, printed, shares, study
from tests.analysis.papers.printed import rows

BENCHMARKS = ("LJSpeech", "LibriTTS", "LibriSpeech")
# The paper prints shares only. With 300 answers a system and benchmark, all of them and both half-widths come out.
TABLE_1 = {
    line["system"]: tuple(round(3 * float(line[benchmark])) for benchmark in BENCHMARKS) for line in rows("hfr_table1")
}
MU = {line["system"]: float(line["mean"]) for line in rows("hfr_table1")}
HALVES = {"Human": 2.87, "StyleTTS2": 3.27, "F5-TTS": 3.27, "XTTS": 3.26, "GPT-SoVITS": 3.18, "VoiceCraft": 3.06}
# The smallest counts that give the paper's shares within its half-widths, of 4.04 to 4.45.
TABLE_2 = {
    "PlayHT": (346, 484), "Human": (335, 474), "ElevenLabs": (336, 481), "F5-TTS": (286, 569), "GPT-SoVITS": (215, 482),
    "XTTS": (204, 488), "StyleTTS2": (188, 487), "VoiceCraft": (148, 485),
}  # fmt: skip
# Table 4: numbers of answers with which all shares come out, and the markers in the paper's order.
ANSWERS = {"human": 450, "commercial": 450, "open": 900}
MARKERS = (
    "voice_quality", "unnatural_pauses", "unnatural_pitch", "flat", "inappropriate_emotion", "no_human_quirks",
    "mispronunciations", "skipped_repeated_words", "digital_artifacts",
)  # fmt: skip


def by_name(found: list[Table]) -> dict[str, Table]:
    return {table.name: table for table in found}


def table_1() -> Table:
    answers = [
        {**row, "seen": "yes" if benchmark in line["seen"].split("|") else ""}
        for line in rows("hfr_table1")
        for benchmark, right in zip(BENCHMARKS, TABLE_1[line["system"]], strict=True)
        for row in shares(named(line["system"]), right, 300, benchmark=benchmark)
    ]
    return by_name(tables("hfr", [study("hfr", answers)]))["hfr_table1"]


def named(system: str) -> str:
    """Return a system's name in a manifest."""
    return "human" if system == "Human" else system


def test_table_1_prints_the_papers_rates_with_human_first_and_then_by_mu() -> None:
    found = table_1()
    assert list(printed(found, "μ")) == list(MU)
    assert {name: float(value) for name, value in printed(found, "μ").items()} == MU
    for benchmark in BENCHMARKS:
        shown = {name: value.rstrip("*") for name, value in printed(found, benchmark).items()}
        assert shown == {line["system"]: line[benchmark] for line in rows("hfr_table1")}


def test_table_1_prints_the_papers_half_widths_and_their_extremes() -> None:
    found = table_1()
    assert {name: float(value) for name, value in printed(found, "±, paper").items()} == HALVES
    assert "95 % CI by the paper's formula: min. 2.87; max. 3.27." in found.notes


def test_beside_the_papers_formula_stands_an_interval_around_mu() -> None:
    found = table_1()
    low, mu, high = (column(found, name) for name in ("Low", "μ", "High"))
    assert all(low[name] < mu[name] < high[name] for name in MU)
    assert column(found, "Answers")["Human"] == 900


def test_table_1_says_why_its_interval_is_another_than_table_2s() -> None:
    """Of equal means: 200 answers in each of two benchmarks, so μ is also the mean of all answers."""
    answers = [row for benchmark in "AB" for row in shares("new", 120, 200, benchmark=benchmark)]
    found = by_name(tables("hfr", [study("hfr", answers)]))
    [of_benchmarks], [of_all] = found["hfr_table1"].shown(), found["hfr_table2"].shown()
    assert (of_benchmarks[3], of_all[2]) == ("60.00", "60.00")
    note = "The interval is that of μ: every benchmark counts alike"
    assert any(each.startswith(note) for each in found["hfr_table1"].notes)
    assert not any(each.startswith(note) for each in found["hfr_table2"].notes)
    one = by_name(tables("hfr", [study("hfr", shares("new", 9, 30, benchmark="A"))]))["hfr_table1"]
    assert not any(each.startswith(note) for each in one.notes)


def test_table_1_stars_the_benchmarks_that_a_system_was_trained_on() -> None:
    found = table_1()
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
    found = by_name(tables("hfr", [study("hfr", shares("new", 9, 30, benchmark="A"))]))["hfr_table1"]
    assert "*" not in "".join([*found.notes, *(cell for row in found.shown() for cell in row)])


def test_a_system_without_a_benchmark_gets_dashes_and_a_note_instead_of_a_mean() -> None:
    answers = [
        *shares("human", 200, 300, benchmark="A"),
        *shares("human", 100, 300, benchmark="B"),
        *shares("new", 90, 300, benchmark="A"),
    ]
    found = by_name(tables("hfr", [study("hfr", answers)]))["hfr_table1"]
    assert (printed(found, "B")["new"], printed(found, "μ")["new"], printed(found, "Low")["new"]) == ("–", "–", "–")
    assert printed(found, "A")["new"] == "30.00"
    assert any("new was not heard in B" in note for note in found.notes)


def test_table_2_prints_the_papers_rates_beside_mushra_ordered_by_rate() -> None:
    lines = {line["system"]: line for line in rows("hfr_table2")}
    answers = [
        row
        for name, (right, of) in TABLE_2.items()
        for row in shares(named(name), right, of, domain=lines[name]["domain"])
    ]
    screens = [
        {"system": named(name), "kind": "human" if name == "Human" else "", "role": "reference" if name == "Human"
         else "test", "rater": 1, "clip": number, "score": float(line["mushra"])}
        for number, (name, line) in enumerate(lines.items())
    ]  # fmt: skip
    screens += [{"system": "PlayHT", "kind": "anchor", "role": "anchor", "rater": 1, "clip": 99, "score": 5.0}]
    found = by_name(tables("hfr", [study("hfr", answers), study("mushra", screens, slug="b")]))["hfr_table2"]
    assert list(printed(found, "HFR")) == list(lines)
    assert printed(found, "HFR") == {name: line["hfr"] for name, line in lines.items()}
    assert printed(found, "MUSHRA") == {name: line["mushra"] for name, line in lines.items()}
    words = {"commercial": "Closed", "human": "Ref.", "open": "Open"}
    assert printed(found, "Domain") == {name: words[line["domain"]] for name, line in lines.items()}
    assert "95 % CI by the paper's formula: min. 4.04; max. 4.45." in found.notes


def test_a_system_without_a_mushra_score_has_a_dash_and_a_note() -> None:
    screens = [{"system": "PlayHT", "rater": 1, "clip": 1, "score": 85.0}]
    answers = [*shares("PlayHT", 346, 484), *shares("GPT-SoVITS", 215, 482)]
    found = by_name(tables("hfr", [study("hfr", answers), study("mushra", screens, slug="b")]))["hfr_table2"]
    assert printed(found, "MUSHRA") == {"PlayHT": "85.00", "GPT-SoVITS": "–"}
    assert "Not in the MUSHRA study: GPT-SoVITS." in found.notes


def test_table_3_prints_the_papers_rates_of_the_systems_that_have_two_conditions() -> None:
    counts = {"F5-TTS": ((286, 569), (47, 90)), "VoiceCraft": ((148, 485), (189, 435))}
    answers = [
        row
        for system, both in counts.items()
        for condition, (right, of) in zip(("zero-shot", "many-shot"), both, strict=True)
        for row in shares(system, right, of, condition=condition)
    ]
    answers += shares("XTTS", 200, 450, condition="zero-shot")
    found = by_name(tables("hfr", [study("hfr", answers)]))
    third = found["hfr_table3"]
    assert [each.title for each in third.columns[:2]] == ["System", "zero-shot"]
    for condition in ("zero-shot", "many-shot"):
        assert printed(third, condition) == {line["system"]: line[condition] for line in rows("hfr_table3")}
    labels = {f"{system} ({condition})" for system in counts for condition in ("zero-shot", "many-shot")}
    assert set(column(found["hfr_table2"], "HFR")) == labels | {"XTTS"}


def test_no_number_of_answers_gives_table_3s_rate_of_f5_tts_with_its_half_widths() -> None:
    # The paper prints "min.=4.67; max.=4.51": the half-widths can't be had from its formula (docs/reports.md).
    counts = [(right, of) for of in range(1, 1000) for right in range(of + 1) if f"{100 * right / of:.2f}" == "50.26"]
    halves = [half_width(np.repeat([1.0, 0.0], [right, of - right]), np.zeros(of, int)) for right, of in counts]
    assert halves
    assert not any(half is not None and 0.0451 <= round(half, 4) <= 0.0467 for half in halves)


def test_table_4_prints_the_papers_percent_of_all_answers_by_domain() -> None:
    lines = rows("hfr_table4")
    shown = {"human": "human_percent", "commercial": "commercial_percent", "open": "open_source_percent"}
    groups = {
        group: (of, [round(of * float(line[shown[group]]) / 100) for line in lines]) for group, of in ANSWERS.items()
    }
    labels = {code: MARKER_NAMES[code] for code in MARKERS}
    results = {"breakdowns": breakdown("marker", labels, "domain", groups)}
    granular = study("hfr_granular", shares("human", 300, 450), results)
    found = by_name(tables("hfr", [granular]))["hfr_table4"]
    assert [each.title for each in found.columns] == ["Marker", "Human", "Commercial", "Open-source"]
    assert [row[1:] for row in found.shown()[:-1]] == [[line[title] for title in shown.values()] for line in lines]
    assert found.shown()[0][0] == "Digital voice quality"
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
    assert found.shown()[0][1:] == [line["seconds"] for line in rows("hfr_table5")]
    assert found.shown()[:2] == [["Mean (s)", "24.30", "22.53", "42.45"], ["Median (s)", "24.00", "22.53", "42.45"]]


def test_answers_that_don_t_count_are_in_no_table() -> None:
    answers = [*shares("human", 300, 300), *({**row, "usable": False} for row in shares("human", 0, 300))]
    answers += [{**row, "role": "trap_human"} for row in shares("human", 0, 300)]
    found = by_name(tables("hfr", [study("hfr", answers)]))["hfr_table1"]
    assert printed(found, "μ") == {"Human": "100.00"}


def test_a_study_of_another_kind_gets_sentences_and_no_numbers() -> None:
    answers = [{"system": "a", "rater": 1, "clip": 1, "score": 1.0}]
    found = by_name(tables("hfr", [study("ternary", answers)]))
    assert [found[f"hfr_table{number}"].rows for number in (1, 2, 3, 4)] == [()] * 4
    assert all(found[f"hfr_table{number}"].notes for number in range(1, 6))


def test_few_raters_give_a_rate_and_no_interval() -> None:
    answers = [{**row, "rater": row["rater"] % 3} for row in shares("new", 10, 30)]
    found = by_name(tables("hfr", [study("hfr", answers)]))["hfr_table1"]
    assert (printed(found, "μ")["new"], printed(found, "Low")["new"]) == ("33.33", "–")
    assert any("Too few" in note for note in found.notes)


def test_fewer_than_five_shared_texts_give_an_interval_by_raters_alone_and_a_note() -> None:
    answers = [{**row, "clip": row["clip"] % 6, "text": f"text-{row['clip'] % 3}"} for row in shares("new", 10, 30)]
    answers += [{**row, "system": "old", "clip": 100 + row["clip"]} for row in answers]
    found = by_name(tables("hfr", [study("hfr", answers)]))["hfr_table1"]
    assert printed(found, "Low")["new"] != "–"
    assert any("for these texts only" in note for note in found.notes)
