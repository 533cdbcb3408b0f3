"""Answers about several clips at once: what best–worst and rankings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.stats.design import Codes, Design, Floats, NotEstimable, coded
from analysis.stats.preferences.checks import Problem, graph_problem, separation_problem
from analysis.stats.preferences.choices import Choices, fit, strengths_basis
from analysis.stats.preferences.clustered import Clustered
from analysis.stats.preferences.strengths import Strengths, strengths
from analysis.stats.twoway import Means, means
from core.text.words import say


@dataclass(frozen=True, slots=True)
class Shown:
    """Answers (n,) of `rater` about one `text` (None if unknown), and the systems that each one showed.

    `answer` and `system` have a row for each system shown: codes in the order given. `names` are the systems by code.
    """

    rater: Codes
    text: Codes | None
    answer: Codes
    system: Codes
    names: tuple[str, ...]

    @classmethod
    def of(cls, rater: Any, text: Any, shown: Sequence[Sequence[Any]]) -> Shown:
        """Code answers about `shown`, sortable labels of at least two systems each.

        Raises NotEstimable without answers, ValueError for unequal lengths, or a system shown twice in one answer.
        """
        raters, texts = np.asarray(rater), None if text is None else np.asarray(text)
        if len(raters) != len(shown) or (texts is not None and len(texts) != len(shown)):
            raise ValueError("all columns of answers need the same length")
        if not len(raters):
            raise NotEstimable(say("There are no answers yet."))
        if any(len(set(systems)) < max(len(systems), 2) for systems in shown):
            raise ValueError("an answer needs two or more different systems")
        labels, system = coded([label for systems in shown for label in systems])
        answer = np.repeat(np.arange(len(shown)), [len(systems) for systems in shown])
        codes = None if texts is None else coded(texts)[1]
        return cls(coded(raters)[1], codes, answer, system, tuple(str(label) for label in labels))

    def means(self, score: Floats) -> Means:
        """Return the mean `score` of each system; one element for each row of `system`."""
        text = None if self.text is None else self.text[self.answer]
        return means(Design.of(score, self.rater[self.answer], self.system, text=text))


@dataclass(frozen=True, slots=True)
class Model:
    """Strengths of all systems, or the `problem` that prevents them."""

    problem: Problem | None
    strengths: Strengths | None
    log_likelihood: float | None


def model(shown: Shown, choices: Choices, wins: Codes, *, level: float) -> Model:
    """Fit strengths to `choices`; `wins` (systems, systems) is what they say about pairs.

    Without strengths: below 5 raters or 5 texts, groups never shown together, perfect separation.
    """
    heard = shown.means(np.zeros(len(shown.system)))
    refusal = heard.refusal(np.full(len(shown.names), 1 / len(shown.names)))
    problem = Problem(refusal) if refusal else graph_problem(wins, np.zeros_like(wins), shown.names)
    problem = problem or separation_problem(choices, wins, shown.names)
    if problem:
        return Model(problem, None, None)
    fitted = fit(choices)
    clustered = Clustered.of(fitted, shown.rater, shown.text)
    return Model(None, strengths(clustered, heard, level=level), fitted.log_likelihood)


def stages(system: Codes, choice: Codes, chosen: Codes, answer: Codes, sign: Floats, systems: int) -> Choices:
    """Return choices among rows of `system` (n,), where `chosen` (choices,) is the row that was chosen.

    `sign` (choices,) is 1 where the best was chosen, −1 where the worst was, with probabilities exp(−λ) / Σ exp(−λ).
    """
    is_chosen = np.zeros(len(system), dtype=bool)
    is_chosen[chosen] = True
    return Choices(strengths_basis(systems)[system] * sign[choice][:, None], choice, is_chosen, answer)
