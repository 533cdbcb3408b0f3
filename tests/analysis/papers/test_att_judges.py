"""Figure 3 and Table 4 of the Audio Turing Test paper, from answers and values with the published figures."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import call_command

from analysis.comparisons import judges
from analysis.comparisons.machine import Machine
from analysis.metrics.models import MetricSet
from analysis.papers import att_judges
from analysis.papers.index import tables
from analysis.sections.judges import Judge
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.tables import Table
from studies.clips.queries import Labels
from studies.clips.tables import Groups
from tests.analysis.comparisons.rated import GOOD, Heard
from tests.analysis.papers.made import printed, study
from tests.analysis.papers.printed import rows

VOICES, DIMENSIONS = 20, [line["dimension"] for line in rows("att_table4")[1:]]
# The dimension with the distance of all clips has the largest values, so that it decides the mean over all of them.
LARGE = "Polyphonic Characters"
ANSWERS = [
    {"system": f"family-{voice // 4}", "voice": f"voice-{voice}", "dimension": dimension, "rater": 1,
     "clip": 1 + place * VOICES + voice, "score": voice / VOICES}
    for place, dimension in enumerate(DIMENSIONS)
    for voice in range(VOICES)
]  # fmt: skip
STUDY = study("ternary", ANSWERS)


def order(discordant: int) -> list[int]:
    """Return the places of the voices in an order with so many pairs the other way round."""
    left, places = list(range(VOICES)), []
    for at in range(VOICES):
        step = min(VOICES - 1 - at, discordant)
        discordant -= step
        places.append(left.pop(step))
    return places


def on_voices(name: str, column: str) -> Judge:
    """Return a judge whose order of voices has the published distance in every dimension."""
    pairs = VOICES * (VOICES - 1) / 2
    values = {}
    for place, line in enumerate(rows("att_table4")[1:]):
        size = 1.0 if line["dimension"] == LARGE else 1e-6
        for voice, at in enumerate(order(round(float(line[column]) * pairs))):
            values[1 + place * VOICES + voice] = size * at / VOICES
    trained = frozenset(line["dimension"] for line in rows("att_table4") if line["in_training_distribution"] == "yes")
    machine = Machine(MetricSet(name=name, low=0, high=1), values, frozenset(), trained)
    return judges.judge(machine, {}, metrics_compute.rated_clips(STUDY.frame), STUDY.frame)


def on_traps(name: str, human: Sequence[float], flawed: Sequence[float], low: float = 0, high: float = 1) -> Judge:
    """Return a judge with these values of human and flawed traps."""
    values = dict(enumerate([*human, *flawed], start=1))
    labels = {
        clip: Labels(
            Groups("a", "", "", "", "", "", "", "trap_human" if clip <= len(human) else "trap_flawed", None, ""),
            f"trap-{clip:03d}.wav", "", "zh", "", 5.0,
        )
        for clip in values
    }  # fmt: skip
    machine = Machine(MetricSet(name=name, low=low, high=high), values, frozenset(), frozenset())
    return judges.judge(machine, labels, metrics_compute.rated_clips(STUDY.frame), STUDY.frame)


# The paper has 69 human and 35 flawed traps and prints F1 only; these counts give it.
FIGURE_3 = (
    on_traps("Auto-ATT", [0.8] * 63 + [0.2] * 6, [0.7] * 5 + [0.1] * 30),
    on_traps("DNSMOS Pro", [2.0] * 69, [1.5] * 35, 1, 5),
    on_traps("UTMOSv2", [3.5] * 5 + [2.5] * 64, [1.5] * 35, 1, 5),
)


def made(*found: Judge) -> dict[str, Table]:
    return {table.name: table for table in tables("att", [replace(STUDY, judges=found)])}


def test_figure_3_prints_the_papers_f1_of_all_judges_beside_calling_everything_human() -> None:
    table = made(*FIGURE_3)["att_figure3"]
    assert printed(table, "F1") == {"Auto-ATT": "0.92", "DNSMOS Pro": "0.00", "UTMOSv2": "0.14"}
    assert set(printed(table, "F1 of always human").values()) == {"0.80"}
    assert [row[1:3] for row in table.rows] == [(69, 35)] * 3
    assert printed(table, "Mapping of value m") == {
        "Auto-ATT": "m",
        "DNSMOS Pro": "(m − 1) / 4",
        "UTMOSv2": "(m − 1) / 4",
    }


def test_clips_at_exactly_half_count_as_human_and_their_number_is_printed() -> None:
    below = on_traps("below", [3.5] * 5 + [2.99] * 21 + [2.0] * 43, [1.5] * 35, 1, 5)
    exactly = on_traps("exactly", [3.5] * 5 + [3.0] * 21 + [2.0] * 43, [1.5] * 35, 1, 5)
    table = made(below, exactly)["att_figure3"]
    assert printed(table, "F1") == {"below": "0.14", "exactly": "0.55"}
    assert printed(table, "At exactly 0.5") == {"below": "0", "exactly": "21"}
    assert att_judges.AT_HALF in table.notes


def test_a_judge_without_a_scale_has_auc_and_the_reason_why_it_has_no_f1() -> None:
    plain = on_traps("plain", [2.0, 3.0], [1.0])
    unscaled = replace(plain, at=None, at_half=None, refused="No scale.", formula="", asked=5)
    table = made(unscaled)["att_figure3"]
    assert table.shown()[0] == ["plain", "2", "1", "–", "–", "–", "–", "–", "1.00", "–", "–"]
    assert "plain: No scale." in table.notes
    assert "plain: 3 of 5 trap clips have a value." in table.notes


def test_figure_3_draws_all_judges_and_says_their_figures_in_words() -> None:
    plot = att_judges.figure(FIGURE_3)
    assert plot is not None
    assert plot.alt.count("F1") == 3
    assert "Auto-ATT: F1 0.92; 63 of 69 human traps and 5 of 35 flawed ones are called human" in plot.alt
    # A marker for each clip and one of each kind in the legend.
    assert plot.svg.count("<use ") >= 3 * (69 + 35) + 2
    assert att_judges.figure(FIGURE_3) == plot
    assert att_judges.figure([replace(FIGURE_3[0], dots=())]) is None


def test_the_dots_of_figure_3_name_clip_role_value_and_mapped_value() -> None:
    table = att_judges.dots(FIGURE_3)
    assert len(table.rows) == 3 * (69 + 35)
    assert table.rows[104] == ("DNSMOS Pro", "trap-001.wav", "trap_human", 2.0, 0.25)
    assert table.rows[-1] == ("UTMOSv2", "trap-104.wav", "trap_flawed", 1.5, 0.125)


def test_table_4_prints_the_papers_distances_and_ps_with_a_star_on_dimensions_in_training() -> None:
    found = [on_voices("Auto-ATT", "auto_att"), on_voices("Qwen2-Audio", "qwen2_audio")]
    table = made(*found)["att_table4"]
    lines = {line["dimension"]: line for line in rows("att_table4")}
    assert set(printed(table, "Dimension")) == set(lines)
    for judge, column in (("Auto-ATT", "auto_att"), ("Qwen2-Audio", "qwen2_audio")):
        stars = {name: "*" if line["in_training_distribution"] == "yes" else "" for name, line in lines.items()}
        assert printed(table, judge) == {name: line[column] + stars[name] for name, line in lines.items()}
        assert printed(table, f"{judge} p") == {name: line[f"{column}_p"] for name, line in lines.items()}
        assert set(printed(table, f"{judge}, voices").values()) == {"20"}
    assert "* The judge was trained on this dimension." in table.notes
    assert table.shown()[0][0] == "All"


def test_without_a_judge_both_tables_say_so() -> None:
    found = made()
    assert [(found[name].rows, found[name].notes) for name in ("att_figure3", "att_table4")] == [
        ((), (att_judges.NONE,))
    ] * 2


@pytest.mark.django_db
def test_analyze_study_writes_figure_3_its_dots_and_table_4(files: Path, now: datetime, tmp_path: Path) -> None:
    heard = Heard(now)
    heard.machine("judge", GOOD, low=0, high=1)
    heard.machine("MOS", {"human": 3.0, "broken": 1.0}, low=1, high=5)
    call_command("analyze_study", heard.study.slug, "--paper", "att", "--out", str(tmp_path))
    for name in ("att_figure3.svg", "att_figure3.png", "att_figure3.csv", "att_figure3.tex", "att_table4.csv"):
        assert (tmp_path / name).stat().st_size
    dots = list(csv.DictReader((tmp_path / "att_figure3_dots.csv").open(encoding="utf-8")))
    assert len(dots) == 2 * 12
    assert {(row["Judge"], row["Role"], row["From 0 to 1"]) for row in dots if row["Judge"] == "MOS"} == {
        ("MOS", "trap_human", "0.5"), ("MOS", "trap_flawed", "0.0"),
    }  # fmt: skip
    traps = {row["Judge"]: row for row in csv.DictReader((tmp_path / "att_figure3.csv").open(encoding="utf-8"))}
    assert traps["MOS"]["At exactly 0.5"] == "8"
    orders = list(csv.DictReader((tmp_path / "att_table4.csv").open(encoding="utf-8")))
    assert [(row["Dimension"], row["judge"]) for row in orders] == [("All", "0.0"), ("poetry", "0.0"), ("数字", "0.0")]
