"""Dropout: raters past each page of a study."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q

from raters.people.models import Session
from raters.rating import monitor
from raters.rating.models import Trial

STEP, OUTCOME = Session.Step, Session.Outcome
# The comprehension check and the practice come after the instructions.
BEYOND_CHECKS = (
    Q(started_at__isnull=False)
    | Q(step__in=(STEP.INSTRUCTIONS, STEP.PRACTICE))
    | Q(outcome=OUTCOME.FAILED_COMPREHENSION)
)
ANSWERED = Trial.objects.filter(batch__session=OuterRef("pk"), answered_at__isnull=False)
STAGES = {
    "arrived": Q(),
    "information": Q(consented_at__isnull=False),
    "checks": BEYOND_CHECKS,
    "instructions": Q(started_at__isnull=False),
    "first_clip": Q(has_answered=True),
    "clips": Q(outcome=OUTCOME.COMPLETE),
    "questions": Q(outcome=OUTCOME.COMPLETE, step=STEP.ENDED),
}


def past_each_page(study_id: int) -> dict[str, int]:
    """Count the real raters past each page, in page order; one SELECT."""
    rows = monitor.sessions_of(study_id, False).annotate(has_answered=Exists(ANSWERED))
    past = {f"n_{name}": Count("pk", filter=which) if which else Count("pk") for name, which in STAGES.items()}
    return {name.removeprefix("n_"): number for name, number in rows.aggregate(**past).items()}
