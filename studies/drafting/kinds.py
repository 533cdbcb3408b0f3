"""What workers and commands call: a run of any kind."""

from __future__ import annotations

from datetime import timedelta

from studies.drafting import questions, texts, working
from studies.drafting.endpoint import Endpoint
from studies.drafting.models import DraftRun
from studies.drafting.working import SLICE, Clock, Work

WORK: dict[str, Work] = {
    DraftRun.Kind.TEXTS: texts.draft,
    DraftRun.Kind.QUESTIONS: questions.draft_questions,
    DraftRun.Kind.GOLDEN: questions.draft_golden,
}


def work(*, pk: int, clock: Clock, endpoint: Endpoint | None = None, lasts: timedelta | None = SLICE) -> bool:
    """Work on a run for a while, or with `lasts` None to its end; return True if it should continue at once."""
    return working.work(pk=pk, clock=clock, work_of_kinds=WORK, endpoint=endpoint, lasts=lasts)
