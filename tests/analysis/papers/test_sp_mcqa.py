"""The tables of the SP-MCQA paper, from its own counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from analysis.management.commands.analyze_study import WITHHELD, Command
from analysis.papers.index import tables
from analysis.sections.tables import Table
from raters.models import Coding, CodingItem, CodingMark, Rating
from studies.models import Clip
from tests.analysis.papers.made import breakdown, column, printed, shares, study
from tests.analysis.papers.printed import rows
from tests.analysis.rated import Rated
from tests.analysis.report.results import results as made_results

LABELS = {"phonetic": "Phonetic", "semantic": "Semantic", "syntax": "Syntax", "grammar": "Grammar", "other": "Other"}
# Questions, wrong answers, and wrong answers by type.
PAPER: dict[str, tuple[int, int, list[int]]] = {
    line["system"]: (int(line["questions"]), int(line["wrong"]), [int(line[code]) for code in LABELS])
    for line in rows("sp_mcqa_table4")
}
METRICS = ("WER", "SSIM", "DNSMOS P.835 OVRL")
# Percentages that Table 4 prints in parentheses: phonetic, semantic, structure, other.
PERCENT = {
    "Human": ("3.558", "1.157", "1.591", "1.649"),
    "F5-TTS": ("4.095", "1.526", "2.302", "4.938"),
    "MaskGCT": ("3.571", "1.391", "2.234", "3.544"),
    "CosyVoice 2": ("3.228", "0.970", "1.884", "3.519"),
    "FishSpeech": ("3.604", "1.383", "1.902", "11.916"),
}


def results() -> dict[str, Any]:
    section = breakdown(
        "error", LABELS | {"structure": "Structure"}, "system",
        {named(name): (of, [*counts, counts[2] + counts[3]]) for name, (of, _, counts) in PAPER.items()},
    )  # fmt: skip
    [metric] = made_results()["metrics"]["tables"]
    listed = [
        {
            **metric,
            "name": name,
            "systems": [
                {**metric["systems"][0], "name": named(line["system"]), "mean": float(line[name]),
                 "kind": "human" if line["system"] == "Human" else ""}
                for line in rows("sp_mcqa_table3")
            ],
        }
        for name in METRICS
    ]  # fmt: skip
    return {"breakdowns": section, "metrics": {"tables": listed}}


def named(system: str) -> str:
    """Return a system's name in a manifest."""
    return "human" if system == "Human" else system


@pytest.fixture(scope="module")
def found() -> dict[str, Table]:
    answers = [row for name, (of, wrong, _) in PAPER.items() for row in shares(named(name), of - wrong, of)]
    return {table.name: table for table in tables("sp-mcqa", [study("sp_mcqa", answers, results())])}


def test_table_3_prints_the_papers_accuracies_beside_its_metrics(found: dict[str, Table]) -> None:
    table = found["sp_mcqa_table3"]
    accuracies = {line["system"]: line["ACC"] for line in rows("sp_mcqa_table3")}
    assert printed(table, "ACC") == accuracies
    for metric in METRICS:
        assert printed(table, metric) == {line["system"]: line[metric] for line in rows("sp_mcqa_table3")}
    assert column(table, "Answers") == {name: of for name, (of, _, _) in PAPER.items()}
    low, high = column(table, "Low"), column(table, "High")
    assert all(low[name] < float(accuracy) < high[name] for name, accuracy in accuracies.items())


def test_table_3_says_how_each_metric_goes_along_with_accuracy(found: dict[str, Table]) -> None:
    [said] = [note for note in found["sp_mcqa_table3"].notes if note.startswith("WER over")]
    # By hand: rank differences 2, 3, 1, 0, 0, so ρ = 1 − 6 · 14 / 120; of ten pairs six stand alike, so τ = 2 / 10.
    assert said == "WER over 5 systems: Pearson r 0.420, Spearman ρ 0.300, Kendall τ 0.200."


def test_table_4_prints_the_papers_counts_and_percentages_with_structure_merged(found: dict[str, Table]) -> None:
    table = found["sp_mcqa_table4"]
    for name, (of, wrong, counts) in PAPER.items():
        assert (column(table, "Questions")[name], column(table, "Wrong")[name]) == (of, wrong)
        assert [column(table, label)[name] for label in LABELS.values()] == counts
        assert column(table, "Structure")[name] == counts[2] + counts[3]
        titles = ("Phonetic %", "Semantic %", "Structure %", "Other %")
        assert tuple(printed(table, title)[name] for title in titles) == PERCENT[name]


def test_accuracy_from_the_first_raters_leaves_the_later_sheets_of_a_task_out() -> None:
    def sheet(rater: int, score: float) -> dict[str, Any]:
        return {"system": "new", "rater": rater, "clip": 1, "score": score, "item": 1}

    answers = [sheet(1, 1.0), sheet(2, 1.0), sheet(3, 0.0), sheet(4, 0.0)]
    made = {table.name: table for table in tables("sp-mcqa", [study("sp_mcqa", answers)])}
    assert printed(made["sp_mcqa_table3"], "ACC") == {"new": "50.000"}
    assert printed(made["sp_mcqa_table3"], "ACC, first 2") == {"new": "100.000"}


def test_comments_are_listed_with_their_codes_or_why_there_are_none() -> None:
    asked = {"prompt": "Who won?", "system": "new", "kind": "", "task": "p1.wav"}
    notes = [
        {**asked, "note": "“-edge” after each | sentence"},
        {**asked, "note": "A hum", "issue": "Noise; Speed"},
        {**asked, "note": "Hm", "issue": ""},
    ]
    made = with_comments({"total": 5, "listed": notes})
    assert [row[2:4] for row in made.shown()] == [
        ["“-edge” after each | sentence", "not coded"],
        ["A hum", "Noise; Speed"],
        ["Hm", "no code fits"],
    ]
    assert made.notes == ("The first 3 of 5; the download has them all.",)
    assert r"after each \| sentence" in made.markdown()


def test_table_5_prints_the_papers_comments_with_task_system_and_related_issue() -> None:
    notes = [
        {"prompt": "Which?", "system": line["system"], "kind": "", "note": line["comment"], "issue": line["issue"],
         "task": line["task"]}
        for line in rows("sp_mcqa_table5")
    ]  # fmt: skip
    made = with_comments({"total": len(notes), "listed": notes})
    titles = [each.title for each in made.columns]
    assert titles[:5] == ["Question", "System", "Comment", "Related issue", "Task"]
    lines = {row[4]: row for row in made.shown()}
    for line in rows("sp_mcqa_table5"):
        assert lines[line["task"]][1:4] == [line["system"], line["comment"], line["issue"]]


def with_comments(comments: dict[str, Any]) -> Table:
    """Return Table 5 of a study with these comments."""
    return tables("sp-mcqa", [replace(study("sp_mcqa", shares("new", 5, 10)), comments=comments)])[2]


def test_other_studies_get_sentences_and_no_numbers() -> None:
    made = tables("sp-mcqa", [study("ternary", shares("new", 5, 10))])
    assert all(table.rows == () and table.notes for table in made)


def test_the_shell_puts_what_raters_wrote_into_table_5(db: None, files: Path, now: datetime) -> None:
    rated = Rated(now, kind="sp_mcqa").everybody(6)
    row, other, *_rest = rated.counting("question")
    type(row).objects.filter(pk=row.pk).update(code="other", note="A hum at the end")
    type(row).objects.filter(pk=other.pk).update(code="other", note="Too quick")
    written = {row.note for row in rated.counting("question") if row.note}
    assert {"A hum at the end", "Too quick"} <= written
    code(rated, row, ("double", ["Speed"]), ("first", ["Noise", "Number", "Noise"]))
    code(rated, other, ("first", ["Speed"]), revoked_at=now)
    command = Command()
    asked = study("sp_mcqa", shares("new", 5, 10), slug=rated.study.slug)
    found = command.with_comments(asked, {"versions": None, "simulated": "without"})
    table = tables("sp-mcqa", [found])[2]
    assert {row[2] for row in table.rows} == written
    issues = {str(row[2]): row[3] for row in table.rows}
    assert issues.pop("A hum at the end") == "Noise; Number"
    assert set(issues.values()) == {"not coded"}
    assert {row[4] for row in table.rows} <= set(Clip.objects.values_list("file", flat=True))
    Clip.objects.filter(study__slug=rated.study.slug).update(box="black")
    found = command.with_comments(asked, {"versions": None, "simulated": "without"})
    assert {row[0] for row in tables("sp-mcqa", [found])[2].rows} == {WITHHELD}


def code(rated: Rated, row: Rating, *codings: tuple[str, list[str]], **changes: Any) -> None:
    """Let experts find codes in a comment."""
    item = CodingItem.objects.create(study=rated.study, answer=row.trial.answer, rating=row, draw=0, double_draw=0)
    for purpose, names in codings:
        expert = User.objects.create_user(f"{purpose}-{row.pk}")
        coding = Coding.objects.create(
            study=rated.study,
            item=item,
            purpose=purpose,
            expert=expert,
            at=rated.now,
            key=f"{purpose}-{row.pk}",
            **changes,
        )
        for name in names:
            CodingMark.objects.create(coding=coding, code=name.lower(), name=name)
