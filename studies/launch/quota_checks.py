"""The check of quotas: whether the clips and the ratings wanted can reach them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from django.db.models import Count
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from studies.clips.models import Clip
from studies.hooks import LaunchFinding
from studies.launch.plan import LaunchPlan
from studies.launch.troubles import MOST


def quota(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that the clips and the ratings wanted can reach the quota of every system and benchmark."""
    protocol = plan.definition.protocol
    raters, utterances = protocol.quota_raters or 0, protocol.quota_utterances or 0
    if not plan.tests or not (raters or utterances):
        return
    tests = Clip.objects.filter(study=plan.study, role=Clip.Role.TEST, withdrawn_at=None)
    distinct_texts = Count(Coalesce("text__name", "file"), distinct=True)
    groups = tests.values_list("system__name", "benchmark").order_by("system__name", "benchmark")
    missed = 0 < plan.raters < raters
    if missed:
        text = _(
            "{fewest} raters who finish all their batches give all ratings wanted, but the quota is {raters}. "
            "Raise “Ratings per clip”, or offer fewer batches per rater."
        )
        yield LaunchFinding(
            "warning", text.format(fewest=plan.raters, raters=raters), setting="protocol.ratings_wanted"
        )
    too_few_texts, too_few_ratings = list[str](), list[str]()
    for system, benchmark, all_clips, texts in groups.annotate(clips=Count("pk"), texts=distinct_texts):
        where = f"{system}, {benchmark}" if benchmark else system
        most = all_clips * protocol.ratings_wanted
        have = {"where": where, "texts": texts, "utterances": utterances, "raters": raters, "most": most}
        if texts < utterances:
            text = _("{where}: there are {texts} utterances, but the quota is {utterances}. Add clips.")
            too_few_texts.append(text.format(**have))
        if most < raters:
            text = _(
                "{where}: its clips × the ratings wanted of each make {most} ratings, which can’t come from {raters} "
                "raters. Raise “Ratings per clip”, or add clips."
            )
            too_few_ratings.append(text.format(**have))
    if too_few_texts:
        text = _("{number} systems or benchmarks have too few utterances for the quota. Add clips.")
        yield _several(too_few_texts, text, LaunchFinding("warning", "", place="clips", anchor="add"))
    if too_few_ratings:
        text = _("{number} systems or benchmarks get too few ratings for the quota of raters.")
        yield _several(too_few_ratings, text, LaunchFinding("warning", "", setting="protocol.ratings_wanted"))
    if not (missed or too_few_texts or too_few_ratings):
        text = _("Every system and benchmark can reach its quota: {raters} raters, {utterances} utterances.")
        yield LaunchFinding("note", text.format(raters=raters or "–", utterances=utterances or "–"))


def _several(sentences: list[str], many: str, finding: LaunchFinding) -> LaunchFinding:
    """Return a finding that says one sentence, or sums several up by `many` with their {number}."""
    if len(sentences) == 1:
        return replace(finding, message=sentences[0])
    return replace(finding, message=many.format(number=len(sentences)), examples=tuple(sentences[:MOST]))
