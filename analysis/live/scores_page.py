"""Scores as shown on a study's page, with comparisons and the fast model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from analysis.data.groups import HUMAN
from analysis.live.result import Figures, GroupScore
from analysis.plots.charts import Axis
from analysis.plots.words import Scale
from analysis.sections import leads
from analysis.sections.blocks import Block, display_name
from analysis.sections.contrasts import Contrasts
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.mixed_models import Fast
from analysis.sections.mixed_models import display as mixed_models_display
from analysis.sections.results import dump
from analysis.sections.sentences import translated
from analysis.sections.shared import Named, Refusal
from core.text.numbers import whole
from core.web.listing import Listing, is_long
from studies.task_types.base import score_sign

# Intervals from fewer raters are marked (rule D4).
MODEL_RATERS = 10
# Larger differences between two ways of averaging are pointed out (rule C1).
APART = 0.01
CONTRASTS: TypeAdapter[Contrasts | Refusal] = TypeAdapter(Contrasts | Refusal)
FAST: TypeAdapter[Fast | Refusal] = TypeAdapter(Fast | Refusal)


def group_name(row: GroupScore, by: str) -> str:
    return _("all systems") if by == "overall" and not row.kind else display_name(row.name, row.kind)


def has_few_raters(row: GroupScore) -> bool:
    return row.low is not None and row.raters < MODEL_RATERS


def missing(figures: Figures, rows: Sequence[GroupScore]) -> list[str]:
    """Return a sentence for each thing that these scores still lack: ratings, intervals, raters."""
    coverage, sentences = figures.coverage, []
    if left := coverage.wanted - coverage.filled:
        text = _("These scores are preliminary: {left} of the {wanted} ratings wanted are still missing.")
        sentences.append(text.format(left=whole(left), wanted=whole(coverage.wanted)))
    if any(row.low is None for row in rows):
        sentences.append(_("No interval yet: an interval needs ratings of 5 raters on 5 texts."))
    if any(has_few_raters(row) for row in rows):
        text = _("Few raters: with fewer than {n} raters, an interval is only approximate.")
        sentences.append(text.format(n=MODEL_RATERS))
    return sentences


def is_apart(row: GroupScore, axis: Axis) -> bool:
    ways = [row.mean, row.clip_mean, row.equal_mean]
    return max(ways) - min(ways) > APART * (axis.high - axis.low)


def axis_of(figures: Figures) -> Axis:
    scale = figures.scale
    return Axis(scale.low, scale.high, scale.unit, score_sign(scale.about))


def reading(figures: Figures) -> str:
    """Explain how to read the chart."""
    scale, over = figures.scale, figures.over
    if over is not None and scale.unit == "%":
        if not over:
            return _("the share of answers that prefer the system to those that it met; no preference counts half.")
        text = _("the share of answers that prefer the system to {baseline}; no preference counts half.")
        return text.format(baseline=display_name(over, HUMAN if over == HUMAN else ""))
    if scale.about == "copies":
        return _("the share of right answers: half of all guesses are right, and the more are, the more is heard.")
    if scale.about == "differences":
        return _("how often a pair with the baseline is called different; see False alarms in an analysis.")
    if scale.about == "errors":
        return _("the more to the left, the fewer errors.")
    if scale.about == "best":
        return _("to the right of the line the system was chosen as the best more often than as the worst.")
    if scale.low < 0 < scale.high:
        return _("to the right of the line the system was preferred, to its left what it was compared with.")
    if scale.is_human:
        return _("the more to the right, the more human.")
    return _("the more to the right, the better.")


def lead(figures: Figures, by: str) -> list[str]:
    """Summarize the scores: the best system, human speech, and the extremes of the groups shown."""
    axis, human = axis_of(figures), figures.baseline
    is_from_traps = human is not None and human.source == "traps"
    groups = figures.scores.get("system", ())
    if figures.over is not None and axis.unit == "%":
        sentences = leads.preferred(axis, groups, figures.over)
    elif figures.scale.about in ("copies", "differences"):
        sentences = leads.recognised(axis, groups, figures.scale.about)
    else:
        sentences = leads.scores(axis, groups, human, is_from_traps=is_from_traps)
    return sentences if by == "system" else [*sentences, *leads.extremes(axis, figures.scores[by])]


def groupings(figures: Figures) -> list[str]:
    """Return the groupings to offer: without dimensions in a study, none by dimension."""
    return [
        by
        for by, rows in figures.scores.items()
        if (by in {"system", "overall"} and (rows or by == "system"))
        or any(row.name and row.kind != HUMAN for row in rows)
    ]


@dataclass(frozen=True, slots=True)
class Names:
    """The systems, by name and kind, that the tables of a page show; None for all."""

    shown: frozenset[tuple[str, str]] | None = None

    def has(self, row: Named) -> bool:
        return self.shown is None or (row.name, row.kind) in self.shown


def names(figures: Figures, listing: Listing) -> Names:
    """Return the systems of this page of the listing, in the order of the scores."""
    rows = figures.scores.get("system", ())
    if not is_long(rows):
        return Names()
    page = listing.page_of(rows, lambda row: group_name(row, "system"))
    return Names(frozenset((row.name, row.kind) for row in page))


def _of_names(section: Contrasts | Refusal, names: Names) -> Contrasts | Refusal:
    """Return the tiers of these systems, and the pairs between them."""
    if isinstance(section, Refusal) or names.shown is None:
        return section
    tiers = tuple(tier for tier in section.tiers if names.has(tier))
    listed = {tier.name for tier in tiers}
    pairs = tuple(pair for pair in section.pairs if {pair.first, pair.second} <= listed)
    return section.model_copy(update={"tiers": tiers, "pairs": pairs})


def blocks(figures: Figures, names: Names) -> list[Block]:
    """Return the blocks of comparisons and of the fast model; none before a rating counts."""
    if figures.model is None or figures.contrasts is None:
        return []
    computed = {"model": dump(figures.model), "contrasts": dump(figures.contrasts), "sentences": figures.sentences}
    results, scale = translated(computed), figures.scale
    shown = Scale(scale.name, scale.low, scale.high, scale.unit)
    fast, contrasts = FAST.validate_python(results["model"]), CONTRASTS.validate_python(results["contrasts"])
    return [
        Block(
            contrasts_display.part_of(shown, _of_names(contrasts, names)),
            contrasts_display.summary(contrasts, score_sign(scale.about)),
        ),
        Block(mixed_models_display.fast(shown, fast)),
    ]
