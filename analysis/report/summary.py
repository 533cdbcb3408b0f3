"""The answer to the study's question in a few sentences: page 1 of the report, and the top of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from analysis.sections.baseline import display as baseline_display
from analysis.sections.blocks import rating_unit
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.pair_tests import display as pair_tests_display
from analysis.sections.participants import display as participants_display
from analysis.sections.parts import Part, is_in_pairs
from analysis.sections.preferences import display as preferences_display
from analysis.sections.results import Results
from analysis.sections.scores import display as scores_display
from analysis.sections.shared import Refusal
from analysis.sections.times import display as times_display
from core.text.numbers import whole

# The summaries above sections.
LEADS: dict[str, Callable[[Results], Sequence[str]]] = {
    "preferences": preferences_display.lead,
    "scores": scores_display.lead,
    "human": baseline_display.lead,
    "contrasts": lambda results: [*pair_tests_display.primary(results), *contrasts_display.lead(results)],
    "times": times_display.lead,
    "participants": participants_display.lead,
}
# Those that answer the study's question, after its primary contrast.
ANSWERS = ("preferences", "scores", "human")


def part(results: Results) -> Part:
    """Return the question and its answer: the primary contrast first, then scores, human speech and all pairs."""
    # Where preferences say which of all pairs differ, they come after the scores, as comparisons do.
    answers_of = (*ANSWERS[1:], ANSWERS[0]) if is_in_pairs(results) else ANSWERS
    answers = [
        " ".join(sentences)
        for sentences in (
            pair_tests_display.primary(results),
            *(LEADS[name](results) for name in answers_of),
            contrasts_display.lead(results),
        )
        if sentences
    ]
    sentences = (*_question(results), *answers, basis(results))
    return Part("summary", _("Summary"), tuple(filter(None, sentences)), is_prose=True)


def _question(results: Results) -> list[str]:
    parameters = {} if isinstance(results.design, Refusal) else results.design.parameters
    scales = [scale["question"] for scale in parameters.get("scales") or () if scale["question"]]
    questions = [parameters["question"]] if parameters.get("question") else scales
    words = _("Raters were asked: “{question}”")
    return [" ".join(words.format(question=question) for question in questions)] if questions else []


def basis(results: Results) -> str:
    """Return a sentence on the number of ratings, raters and clips behind the scores; "" if there is no design."""
    design = results.design
    if isinstance(design, Refusal):
        return ""
    words = _("Usable ratings: {ratings}. Raters: {raters}. Clips: {clips}.")
    if rating_unit(results):
        words = _("Usable ratings: {ratings}. Answers in them: {answers}. Raters: {raters}. Clips: {clips}.")
    return words.format(
        ratings=whole(_ratings(results)),
        answers=whole(sum(system.ratings for system in design.systems)),
        raters=whole(design.raters),
        clips=whole(design.clips),
    )


def _ratings(results: Results) -> int:
    """Return the usable ratings as *Results* counts them: one for each test item and trial, whatever it asks."""
    plan = results.plan
    return results.inputs.counted if isinstance(plan, Refusal) or not plan.reached else plan.reached[0].ratings
