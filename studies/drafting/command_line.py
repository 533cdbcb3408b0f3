"""Shared by the drafting commands: start a run, work on it in the foreground, and report refusals and flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.db.models import Q

from core import clock
from core.errors import DomainError, Invalid
from studies.definition import queries as definition_queries
from studies.drafting import kinds, requesting, words
from studies.drafting.models import Draft, DraftQuestion, DraftRun

if TYPE_CHECKING:
    from studies.definition.models import Study

Write = Callable[[str], object]


def study_of(slug: str) -> Study:
    """Return the study of this short name; raises `CommandError`."""
    try:
        return definition_queries.study(slug)
    except DomainError as error:
        raise CommandError(error.message) from error


def draft(*, study: Study, kind: str, plan: dict[str, Any], write: Write, **limits: int) -> None:
    """Carry out a run and report; raises `CommandError`, and so exit status 1, if it ended early."""
    try:
        run = requesting.request(study=study, kind=kind, plan=plan, user=None, now=clock.now(), **limits)
    except Invalid as error:
        details = [f"{name}: {problem}" for name, problem in error.problems.items()]
        raise CommandError("\n".join(details or [error.message])) from error
    except DomainError as error:
        raise CommandError(error.message) from error
    write(f"Run {run.pk}. Ctrl+C stops it; a worker or the study's page can continue it.")
    try:
        # In short turns, to report progress.
        while kinds.work(pk=run.pk, clock=clock.now):
            run.refresh_from_db()
            write(f"{requesting.drafted(run)} of {requesting.wanted(run)} drafted, {run.tokens} tokens")
    except KeyboardInterrupt:
        requesting.stop(run=run, now=clock.now())
        raise CommandError("Stopped. What was drafted is kept.") from None
    run.refresh_from_db()
    report(run, write)
    if run.error or run.ending:
        raise CommandError(run.error or f"Ended early: {run.get_ending_display()}.")


def report(run: DraftRun, write: Write) -> None:
    """Write what came of a run: counts, refusals, flags."""
    drafts = Draft.objects.filter(run=run).select_related("text")
    questions = DraftQuestion.objects.filter(run=run).select_related("text")
    refused = 0
    for row in drafts.filter(~Q(refused=[]) | ~Q(error="")):
        refused += len(row.refused)
        for each in row.refused:
            write(f"refused: {words.of_refusal(each)} {each['text'][:80]}")
        if row.error:
            write(f"failed: {row.error}")
    flagged = 0
    texts = [row.text for row in drafts.filter(text__isnull=False) if row.text is not None]
    rows = [(text.name, text.flags) for text in texts]
    rows += [(f"{row.text.name if row.text else 'golden'}: {row.prompt[:60]}", row.flags) for row in questions]
    for name, flags in rows:
        flagged += bool(flags)
        for flag in flags:
            write(f"flagged: {name}: {words.of_flag(flag)}")
    estimated = " (estimated)" if Draft.objects.filter(run=run, is_estimated=True).exists() else ""
    write(
        f"{len(rows)} of {requesting.wanted(run)} drafted, {flagged} flagged, {refused} refused; "
        f"{run.calls} requests, {run.tokens} tokens{estimated}. "
        "Nothing is used before a person has accepted it."
    )
