"""The report and the pages of an analysis and of metrics in Chinese: no English but names, formulas, own texts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from analysis.comparisons import comparing
from analysis.metrics.models import Comparison
from analysis.plots.canvas import Plot
from analysis.report import computing, document, plots, summary
from analysis.report.page import blocks
from analysis.sections.results import Results, dump, load
from analysis.sections.sentences import in_language
from core import clock
from studies import task_types
from studies.definition.definition import Definition
from studies.models import Study
from tests.analysis.comparisons.rated import GOOD, Heard
from tests.analysis.rated import Rated
from tests.analysis.report.made import crowd, gathered, given
from tests.analysis.report.results import bayes, posterior, results
from tests.analysis.report.test_modelled import MEANS, SDS, ordinal
from tests.analysis.report.test_screened import CHECKS, asking, told
from tests.researchers import logged_in, researcher, text

CHINESE = "zh-hans"
WORD = re.compile(r"[A-Za-z]{3,}")
NOT_TEXT = re.compile(r"<style.*?</style>|<blockquote.*?</blockquote>|<[^>]+>", re.DOTALL)
# Fingerprints, and pseudonyms of raters.
HASH = re.compile(r"\b[0-9a-f]{12,}\b|\b[A-Z2-7]{12}\b|\+abc\b")
# Names of scores, methods, people and products, units, and what formulas say.
ALLOWED = frozenset(
    WORD.findall(
        "HLS HFR MOS CMOS MUSHRA ACC ACR MCQA WER AUC HDI ESS ICC REML CJK hat Logistic logit Earshot Prolific "
        "Krippendorff Cohen Fleiss Kendall Pearson Spearman Wilson Laplace Normal half Student "
        "Satterthwaite MacKinnon Nielsen Webb Bell McCaffrey Games Howell Zou Donner Bradley Terry Davidson "
        "Woods Siegel Traer McDermott Attention Perception Psychophysics Milne Behavior Research Methods and "
        "Tukey Bonferroni ITU Wilcoxon TOST Schuirmann Hautus Chiang Huang Lee Cooper Maguer Klabbers Yamagishi arXiv "
        "WAV kHz LUFS dBTP score system rater clip text residual answer alpha beta"
    )
)


def words(text: str) -> set[str]:
    return set(WORD.findall(text))


def own(definition: Definition, *names: str) -> set[str]:
    """Return the words that a study's researcher wrote."""
    texts = [definition.texts, definition.recruitment, definition.screening]
    return words(" ".join([*(text.model_dump_json() for text in texts), json.dumps(definition.task), *names]))


def english(page: str, known: set[str]) -> set[str]:
    """Return the English words of a page that nobody expects; pictures are read by their alternative texts."""
    spoken = " ".join(re.findall(r'(?:alt|aria-label)="([^"]*)"', page))
    text = HASH.sub("", unescape(f"{NOT_TEXT.sub(' ', page)} {spoken}"))
    return words(text) - ALLOWED - known


def shown(found: Results, definition: Definition, drawn: list[Plot]) -> str:
    """Return the report and the page's blocks, in Chinese."""
    with translation.override(CHINESE):
        made = [render_to_string("analysis/block.html", {"block": block}) for block in blocks(found)]
        return document.html(found, definition, drawn) + "".join(made)


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_no_english_is_left_in_the_analysis_of_any_task(kind: str, now: datetime) -> None:
    inputs = gathered(Rated(now, kind=kind).everybody(18).study, sections=computing.NAMES)
    found = computing.compute(inputs)
    columns = ("system", "kind", "voice", "benchmark", "condition", "domain")
    names = [str(name) for column in columns for name in set(inputs.frame[column]) - {"human"}]
    page = shown(found, inputs.definition, [])
    assert english(page, own(inputs.definition, found.study.title, found.study.slug, *names)) == set()
    assert '<html lang="zh-hans">' in page


@pytest.mark.django_db
def test_no_english_is_left_in_the_pictures_models_and_methods() -> None:
    people = told(*CHECKS, attention={"asked": 80, "failed": 3, "sessions": 40, "sessions_failed": 2})["participants"]
    found = results(participants=people)
    scoped, whole = ordinal("for these clips only"), ordinal("", model="logistic")
    found["models"] |= {"bayes_clips": bayes(MEANS, SDS, ""), "answers": scoped, "answers_clips": whole}
    found["models"]["bayes"]["sds"] = {**SDS, "residual": posterior("residual", 0.3)}
    made = load(found)
    with translation.override(CHINESE):
        drawn = plots.draw(made)
    # Sentences of these results, which no code says, and names in them.
    written = (
        "A note For these voices One rater is too few There is no human speech Two systems are too few poetry study "
        "human traps"
    )
    definition = asking(recheck_minutes=30, headphones="antiphase", attention=("I have visited every planet.",))
    known = own(definition, written, made.study.title)
    # A machine without a Chinese font names one to install.
    known |= words("Flat Pauses script IELTS late human Noto Sans Debian Ubuntu fonts noto")
    assert english(shown(made, definition, drawn), known) == set()
    assert len(drawn) > 10


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_no_english_is_left_on_the_page_of_metrics(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.nudge._send", lambda task, pk: None)
    heard, rita = Heard(now, people=4), researcher("rita")
    Study.objects.filter(pk=heard.study.pk).update(owner=rita)
    older = heard.machine("judge", GOOD, low=0, high=1)
    newer = heard.machine("judge", {name: worth * 0.9 for name, worth in GOOD.items()}, low=0, high=1)
    client, address = logged_in(rita), reverse("analysis:machines", args=[heard.study.slug])

    def shown() -> str:
        return text(client.get(address, {"first": newer.pk, "second": older.pk}, headers={"Accept-Language": "zh-CN"}))

    shown()
    assert comparing.compare(pk=Comparison.objects.get().pk, clock=clock.now)
    page = shown()
    assert 'lang="zh-hans"' in page
    systems = " ".join(set(GOOD) - {"human"})
    names = words(f"{heard.study.title} {systems} judge rita poetry wav UTC DNSMOS Microsoft ITU CSV scores csv")
    columns = words("clip metric value direction low high error message")
    # Files and voices of human recordings.
    shown_texts = re.sub(r"human/\d+\.wav|human-voice", "", page)
    assert english(shown_texts, own(heard.study.definition) | names | columns) == set()


def test_sentences_with_values_are_stored_in_english_and_read_in_chinese() -> None:
    with translation.override(CHINESE):
        found = computing.compute(given(crowd({"alpha": 0.4}, raters=12)))
    assert dump(found) == dump(computing.compute(given(crowd({"alpha": 0.4}, raters=12))))
    stored = json.loads(json.dumps(dump(found)))
    sentence = "Only one system was rated (alpha), so there is nothing to compare it with."
    assert stored["contrasts"] == {"refused": sentence}
    assert stored["sentences"][sentence]["values"] == {"system": "alpha"}
    with translation.override(CHINESE):
        assert dump(in_language(load(stored)))["contrasts"]["refused"].startswith("只评测了一个系统（alpha）")
        older = load({name: value for name, value in stored.items() if name != "sentences"})
        assert dump(in_language(older))["contrasts"] == {"refused": sentence}


def test_results_in_english_are_shown_as_they_are_stored() -> None:
    found = load(results())
    assert in_language(found) is found


def test_every_sentence_of_the_summary_of_a_chinese_report_is_chinese() -> None:
    inputs = given(crowd({"alpha": 0.2, "beta": 0.4, "human": 0.8}), "att")
    primary = inputs.definition.results.model_copy(update={"primary": "human vs beta"})
    found = computing.compute(replace(inputs, definition=inputs.definition.model_copy(update={"results": primary})))
    expected = len(summary.part(found).sentences)
    with translation.override(CHINESE):
        sentences = summary.part(in_language(found)).sentences
    # The question is the researcher's own.
    question, *answers = sentences
    assert len(sentences) == expected >= 5
    assert question.startswith("向评测者提出的问题")
    assert [english(answer, words("alpha beta")) for answer in answers] == [set()] * len(answers)
    assert all(re.search("[\u4e00-\u9fff]", answer) for answer in answers)
