"""Plots: what they show, in words and to the eye, and that they are safe and the same each time."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import matplotlib
import pytest
from PIL import Image

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.words import Scale, clean, fold, number, width
from analysis.report import plots
from analysis.sections.breakdowns import Breakdown, Breakdowns, GroupCounts, Line
from analysis.sections.breakdowns import plot as breakdowns_plot
from analysis.sections.multiverse import plot as multiverse_plot
from analysis.sections.results import load
from analysis.sections.scores import plot as scores_plot
from tests.analysis.report.results import EVIL, FIRST, HUMAN, group, nothing, results

NAMES = {
    "flow", "scores", "dimensions", "figure2a", "figure2b", "contrasts", "ranks", "posterior", "multiverse", "times",
    "drift", "shares-marker",
}  # fmt: skip


@pytest.fixture(scope="module")
def drawn() -> dict[str, Plot]:
    return {plot.name: plot for plot in plots.draw(load(results()))}


def test_every_section_with_figures_has_its_plot(drawn: dict[str, Plot]) -> None:
    assert set(drawn) == NAMES


def test_sections_that_were_refused_have_none() -> None:
    assert plots.draw(load(nothing())) == []


def test_the_words_of_a_plot_hold_its_numbers(drawn: dict[str, Plot]) -> None:
    assert "Human 0.85 [0.80, 0.90]; alpha 0.40 [0.35, 0.45]" in drawn["scores"].alt
    assert "The line is human speech: 0.85." in drawn["scores"].alt
    assert "poetry no answers" in drawn["dimensions"].alt
    assert "alpha 0.40, white 0.45, black 0.35" in drawn["figure2a"].alt
    assert "Human minus alpha +0.45 [+0.36, +0.54]" in drawn["contrasts"].alt
    assert "alpha: rank 2 80 %, rank 3 20 %" in drawn["ranks"].alt
    assert "SD, raters 0.200 [0.180, 0.220]" in drawn["posterior"].alt
    assert "arrived 60; did not agree 5; agreed to take part 55" in drawn["flow"].alt
    assert "alpha median 18.4, mean 19.4" in drawn["times"].alt
    assert "trials 1 to 3: 0.50, 19.0 s; trials 4 to 6: 0.48" in drawn["drift"].alt
    assert "Flat: Human 5.0, alpha 30.0; Pauses: Human 2.0, alpha 45.0" in drawn["shares-marker"].alt
    assert "alpha from 0.34 to 0.40" in drawn["multiverse"].alt
    assert "in 3 of them" in drawn["multiverse"].alt


def test_answers_on_a_scale_are_drawn_in_the_order_of_the_scale() -> None:
    lines = tuple(Line(code=code, label=label, of=()) for code, label in (("3", "Good"), ("2", "Fair"), ("1", "Bad")))
    groups = {"system": (GroupCounts(name="alpha", kind="", of=10, counts=(2, 7, 1)),)}
    table = Breakdown(title="Ratings", part="score", per="", lines=lines, groups=groups)
    content = load(results()).model_copy(update={"breakdowns": Breakdowns(tables=(table,))})

    [plot] = breakdowns_plot.shares(content)

    assert "Good: alpha 20.0; Fair: alpha 70.0; Bad: alpha 10.0" in plot.alt


def test_every_svg_is_well_formed_named_and_holds_no_script(drawn: dict[str, Plot]) -> None:
    space = "{http://www.w3.org/2000/svg}"
    for plot in drawn.values():
        tree = ElementTree.fromstring(plot.svg)
        assert tree.tag == f"{space}svg"
        assert (tree.get("role"), tree.get("aria-label")) == ("img", plot.alt)
        assert tree.findtext(f"{space}title") == plot.alt
        assert tree.find(f".//{space}script") is None
        assert "<script" not in plot.svg


def test_a_plot_is_one_column_wide_and_fine_enough_to_print(drawn: dict[str, Plot]) -> None:
    for plot in drawn.values():
        image = Image.open(io.BytesIO(plot.png))
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert image.width == pytest.approx(85 / 25.4 * 300, abs=2)


def test_the_same_results_give_the_same_bytes_without_dates(drawn: dict[str, Plot]) -> None:
    found = results()
    kept = {name: found[name] for name in ("contrasts", "times", "participants")}
    again = {plot.name: plot for plot in plots.draw(load({**nothing(), **kept}))}
    assert again == {name: drawn[name] for name in ("flow", "contrasts", "ranks", "times")}
    assert all("<dc:date>" not in plot.svg for plot in drawn.values())


def test_drawing_leaves_matplotlib_s_own_settings_alone() -> None:
    before = dict(matplotlib.rcParams)
    plots.draw(load({**nothing(), "times": results()["times"]}))
    assert dict(matplotlib.rcParams) == before


def test_a_name_that_is_a_formula_elsewhere_is_drawn_as_it_is() -> None:
    section = results()["times"]
    section["rows"][0]["name"] = r"$\frac{"
    [plot] = plots.draw(load({**nothing(), "times": section}))
    assert r"$\frac{ median 18.4" in plot.alt


def test_letters_without_a_font_stay_letters_for_the_reader_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    section = results()["times"]
    section["rows"][0]["name"] = "语音"
    monkeypatch.setattr(canvas, "families", lambda: [canvas.OWN])
    monkeypatch.setattr(canvas, "lacking", lambda text: "语音" if "语" in text else "")
    [plot] = plots.draw(load({**nothing(), "times": section}))
    assert any("语音" in (each.text or "") for each in ElementTree.fromstring(plot.svg).iter())


def test_letters_that_no_font_has_are_found() -> None:
    assert canvas.lacking("Human ä ± 95 % ش") == ""
    assert canvas.lacking("a\U0010fffdb") == ""  # private use is not printable
    assert canvas.lacking("a𒀀") == "𒀀"


def test_series_of_one_plot_differ_in_shape_too_and_human_speech_is_always_the_same() -> None:
    names = [(f"s{at}", "") for at in range(dots.MOST_SERIES - 1)]
    for listed in ([*names, (HUMAN, "human")], [(HUMAN, "human"), *names]):
        looks = {name: look for (name, _), look in zip(listed, dots.looks_of(listed), strict=True)}
        assert (
            len({look.shape for look in looks.values()})
            == len({look.colour for look in looks.values()})
            == dots.MOST_SERIES
        )
        assert looks[HUMAN].colour == canvas.COLOURS["human"]


@pytest.mark.parametrize("number", [12, 20])
def test_more_systems_than_can_be_told_apart_have_a_line_each(number: int) -> None:
    found = results()
    names = [HUMAN, *(f"s{at}" for at in range(1, number))]
    cells = [group("数字", 0.5), None]
    found["scores"]["crossed"]["dimension"]["rows"] = [
        {"name": name, "kind": "human" if name == HUMAN else "", "cells": cells, "mu": 0.5, "of": 1} for name in names
    ]
    worlds = [
        {
            "rules": rules,
            "ratings": [9] * number,
            "scores": [0.5 - len(rules) / 100] * (number - 1) + [None],
            "order": [],
        }
        for rules in ([], ["traps"])
    ]
    found["multiverse"] = {"systems": names, "rules": ["traps"], "same_order": 2, "universes": worlds}
    figure, choices_ = scores_plot.figure_2b(load(found)), multiverse_plot.plot(load(found))
    assert figure is not None
    assert choices_ is not None
    for plot in (figure, choices_):
        # A line of text and more for each of them, at 300 dots per inch.
        assert Image.open(io.BytesIO(plot.png)).height > 0.12 * 300 * number
    assert f"s{number - 1} 0.50 [0.45, 0.55]" in figure.alt
    assert choices_.alt.count(" from 0.49 to 0.50") == number - 1


@pytest.mark.parametrize(
    ("text", "most", "wanted"),
    [
        ("short", 10, "short"),
        ("two words here", 9, "two words\nhere"),
        ("festival-slt-hts", 12, "festival-\nslt-hts"),
        ("语音真人感听力测试第一轮", 8, "语音真人\n感听力…"),
        ("abcdefghijklmnopqrstuvwxyz", 5, "abcde\nfghi…"),
        ("a\x00b\nc", 9, "a b c"),
    ],
)
def test_long_names_are_broken_and_cut(text: str, most: int, wanted: str) -> None:
    assert fold(text, most) == wanted


def test_widths_and_numbers() -> None:
    assert (width("语a\u0301"), clean(" a \t b "), number(-0.001, 2), number(-1.5, 1)) == (3, "a b", "0.00", "−1.5")
    percent = Scale("HFR", 0.0, 1.0, "%")
    assert (percent.title, percent.show(0.7411), percent.interval(0.7, None)) == ("HFR (%)", "74.1", "")


def test_a_figure_without_intervals_is_drawn_without_them() -> None:
    scores = results()["scores"]
    for each in scores["by"]["system"]:
        each["low"] = each["high"] = None
    found = {plot.name: plot for plot in plots.draw(load({**nothing(), "scores": {**scores, "crossed": {}}}))}
    assert f"{FIRST} 0.40; {clean(EVIL)[:10]}" in found["scores"].alt


def test_the_plot_of_exclusion_rules_names_them_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    # The letters stay letters, to be read here.
    monkeypatch.setattr(canvas, "lacking", lambda text: "x")
    worlds = [{"rules": rules, "ratings": [9], "scores": [0.5], "order": [HUMAN]} for rules in ([], ["expert_review"])]
    section = {"systems": [HUMAN], "rules": ["expert_review"], "same_order": 2, "universes": worlds}
    drawn = multiverse_plot.plot(load({**nothing(), "multiverse": section}))
    assert drawn is not None
    words = " ".join(each.text or "" for each in ElementTree.fromstring(drawn.svg).iter())
    assert "experts found the reason" in words
    assert "expert_review" not in words
