"""Raters that stand out, corrected means and sensitivity in an analysis, and what is printed about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.report import computing
from analysis.sections.reliability import Reliability, compute, display
from analysis.sections.shared import Refusal
from tests.analysis.report.made import crowd, given

THREE = {"alpha": 0.5, "beta": 0.2, "human": 0.85}


def points(raters: int = 12, clips: int = 8, seed: int = 3) -> list[dict[str, Any]]:
    """Return five-point ratings of two systems by all raters, in an order of each rater's own."""
    draw = np.random.default_rng(seed)
    rows = []
    for rater in range(raters):
        order = draw.permutation(2 * clips)
        for position, at in enumerate(order, start=1):
            system, clip = divmod(int(at), clips)
            score = float(np.clip(round(3 + system + 0.1 * (clip - 4) + draw.normal(0, 0.9)), 1, 5))
            labels = {"system": ("alpha", "beta")[system], "kind": "", "text": f"text-{clip}", "clip": int(at)}
            answer = {"position": position, "score": score, "code": str(int(score))}
            seconds = 8 + draw.normal(0, 0.5)
            who = {"rater": rater, "session": rater, "item": int(at), "response_seconds": seconds}
            rows.append({**labels, **answer, **who})
    return rows


def found(rows: list[dict[str, Any]], preset: str = "acr") -> tuple[Reliability, str]:
    """Return the section, and its text with names of raters by number."""
    inputs = replace(given(rows, preset), pseudonym=lambda rater: f"R{rater}")
    section = compute.compute(inputs)
    results = computing.compute(inputs)
    return section, " ".join(display.part(results).sentences)


def test_a_straight_liner_and_a_rater_who_slows_down_are_named_and_nobody_else() -> None:
    rows = points()
    for row in rows:
        if row["rater"] == 4:
            row |= {"score": 3.0, "code": "3"}
        if row["rater"] == 7:
            row["response_seconds"] += 2.0 * row["position"]
    section, text = found(rows)
    signs = [(each.rater, each.sign) for each in section.outstanding]
    assert signs == [("R4", "share"), ("R4", "longest"), ("R7", "seconds")]
    assert section.outstanding[1].value == 16
    assert section.outstanding[2].value == pytest.approx(2, abs=0.1)
    assert "No rater stands out" not in text


def test_every_rater_has_a_row_in_a_file_that_pages_only_name() -> None:
    rows = points(raters=20)
    for row in rows:
        if row["rater"] == 4:
            row |= {"score": 3.0, "code": "3"}
        if row["rater"] == 7:
            row["response_seconds"] += 2.0 * row["position"]
    results = computing.compute(replace(given(rows, "acr"), pseudonym=lambda rater: f"R{rater:02}"))
    [table] = [table for table in display.part(results).tables if table.name == "all_raters"]
    assert [row[0] for row in table.rows] == [f"R{rater:02}" for rater in range(20)]
    straight, slow = table.rows[4], table.rows[7]
    assert (straight[1:4], straight[5]) == ((16, 1.0, 16), pytest.approx(0, abs=0.2))
    assert slow[4] == pytest.approx(20, abs=1)
    assert not table.is_shown
    assert table.elsewhere == "All 20 rows are in all_raters.csv, among the tables of the analysis."


def test_raters_alike_are_said_to_be_alike() -> None:
    section, text = found(points())
    assert section.outstanding == ()
    assert "No rater stands out from the others." in text
    assert "Answering time changes by" in text
    assert "all raters rated all clips" in text


def test_a_complete_scale_has_corrected_means_and_an_incomplete_one_says_why_not() -> None:
    rows = points(raters=20, clips=12)
    section, _text = found(rows)
    assert {row.name for row in section.corrected} == {"alpha", "beta"}
    for row in section.corrected:
        assert row.raw == pytest.approx(np.mean([each["score"] for each in rows if each["system"] == row.name]))
        assert row.corrected != row.raw
        assert row.corrected == pytest.approx(row.raw, abs=0.3)
    section, text = found(rows[:-1])
    assert section.corrected == ()
    assert "Means are not corrected for raters’ biases" in text
    assert "by REML, since not all raters rated all clips" in text


def test_the_text_that_decides_the_order_is_named() -> None:
    """Both systems score alike on every text but text-2; a tie is another order."""
    rows = points(clips=6)
    for row in rows:
        row["score"] = 5.0 if (row["system"], row["text"]) == ("beta", "text-2") else 3.0 + (row["rater"] % 2)
    section, text = found(rows)
    [raters, texts] = section.left_out
    assert (raters.of, raters.tried, raters.changed) == ("rater", 12, 0)
    assert (texts.of, texts.tried, texts.changed, texts.names) == ("text", 6, 1, ("text-2",))
    assert "Leaving out one text changes the order of the systems in 1 of 6 cases: text-2." in text
    assert "Leaving out one rater never changes the order of the systems (12 raters left out in turn)." in text


def test_three_answers_have_no_corrected_means_and_no_note_on_them() -> None:
    section, text = found(crowd(THREE), "att")
    assert (section.corrected, section.notes) == ((), ())
    assert not isinstance(section.icc, Refusal)
    assert "of the variance of clips’ means comes from the clips" in text


def test_several_answers_of_one_trial_count_once_in_the_course_of_a_session() -> None:
    """Each trial asks three times: raters have as many answers as trials, and slopes are as sure as with one each."""
    rows = [{**row, "trial": 1 + number} for number, row in enumerate(points())]
    once, _text = found(rows)
    thrice, _text = found([row for row in rows for _time in range(3)])
    assert thrice.seconds is not None
    assert once.seconds is not None
    assert thrice.seconds.model_dump() == pytest.approx(once.seconds.model_dump())
    assert (thrice.outstanding, once.outstanding) == ((), ())
    slow = [
        {**row, "response_seconds": row["response_seconds"] + (row["rater"] == 7) * row["position"]} for row in rows
    ]
    assert [
        (each.rater, each.answers)
        for each in found([row for row in slow for _time in range(3)])[0].outstanding
        if each.sign == "seconds"
    ] == [("R7", 16)]
