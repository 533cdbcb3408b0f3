"""People decide on drafted questions; accepted ones become questions of the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from studies.clips.models import Question
from studies.decisions import experts
from studies.decisions.queue import pairs
from studies.definition.models import Study
from studies.drafting import queries, words
from studies.drafting.models import DraftDecision, DraftQuestion
from studies.drafting.rules import question_checks
from studies.imports import publishing
from studies.imports.ingest import questions as ingest
from studies.rules import decisions as rules
from studies.rules.agreement import Kappa, kappa
from studies.rules.text import MOST
from studies.summaries import services as summaries
from studies.task_types.base import Option

if TYPE_CHECKING:
    from accounts.users.models import User

ACCEPT, REJECT = "accept", "reject"
State = DraftQuestion.State


@transaction.atomic
def decide(*, study: Study, pk: int, user: User, accepts: bool, revision: int, now: datetime) -> DraftQuestion:
    """Store one person's decision.

    Raises `Conflict` when the question changed, is decided, can't become one, or its passage was not played.
    """
    row = _held(study, pk)
    if row.state != State.OPEN:
        raise Conflict(_("This question has been decided meanwhile. Here is the next one."), code="decided")
    if row.revision != revision:
        raise Conflict(_("Somebody has edited this question meanwhile. Read it again."), code="edited")
    if _standing(row).filter(user=user).exists():
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    _check_played(row, user)
    DraftDecision.objects.create(question=row, user=user, accepts=accepts, revision=revision, at=now)
    _follow(row)
    return row


@transaction.atomic
def settle(*, study: Study, pk: int, user: User, accepts: bool, now: datetime) -> DraftQuestion:
    """Decide on a question about which two people differ."""
    row = _held(study, pk)
    if row.state != State.DISPUTED:
        raise Conflict(_("This question has been decided meanwhile."), code="decided")
    _check_played(row, user)
    DraftDecision.objects.create(question=row, user=user, accepts=accepts, settles=True, revision=row.revision, at=now)
    _follow(row)
    return row


@transaction.atomic
def undo(*, study: Study, user: User, now: datetime) -> DraftQuestion:
    """Take back this person's last decision; raises `NotFound` without one, `Conflict` once it was settled."""
    last = DraftDecision.objects.filter(question__run__study=study, user=user, revoked_at=None).order_by("-pk").first()
    if last is None:
        raise NotFound(_("There is no decision of yours to undo."))
    row = _held(study, last.question_id)
    if not last.settles and _standing(row).filter(settles=True).exists():
        raise Conflict(_("Somebody has settled this question, so your decision can’t be changed."), code="settled")
    last.revoked_at = now
    last.save(update_fields=["revoked_at"])
    _follow(row)
    return row


@transaction.atomic
def edit(
    *, study: Study, pk: int, user: User, prompt: str, options: Sequence[Option], revision: int, now: datetime
) -> DraftQuestion:
    """Change the words of an open question; whoever decided on the old words is asked again. Raises `Invalid`."""
    row = _held(study, pk)
    if row.state != State.OPEN:
        raise Conflict(_("This question has been decided meanwhile. Undo the decision to edit it."), code="decided")
    if row.revision != revision:
        raise Conflict(_("Somebody has edited this question meanwhile. Read it again."), code="edited")
    earlier = [each for each in queries.prompts_asked(study.pk, row.text_id) if each != row.prompt]
    question = question_checks.DraftedQuestion(prompt, tuple(options))
    found = question_checks.problems(question, golden=row.text_id is None, earlier=earlier)
    reason = "count" if len(options) != len(row.options) else next((code for _field, code in found), "")
    if reason:
        message = str(words.REFUSALS[reason])
        raise Invalid(message, {"edit": message})
    new = question_checks.as_json(question)
    if prompt == row.prompt and new == row.options:
        return row
    row.drafted = row.drafted or {"prompt": row.prompt, "options": row.options}
    row.prompt, row.options, row.edited_by, row.revision = prompt, new, user, row.revision + 1
    # Flags about the words are found again; how often a model guessed it stays as it was measured.
    measured = [flag for flag in row.flags if flag["code"] in question_checks.MEASURED]
    again = question_checks.flags(question, row.text.body) if row.text is not None else []
    row.flags = [*(flag.as_json() for flag in again), *measured]
    row.save()
    _standing(row).update(revoked_at=now)
    return row


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs of independent decisions on one question, how many agree, and Cohen's kappa."""

    pairs: int
    agreeing: int
    kappa: Kappa

    @property
    def percent(self) -> float:
        return 100 * self.agreeing / self.pairs


def agreement(study: Study) -> Agreement | None:
    """Return how far two people agree on the study's drafted questions; None before there is a pair."""
    rows = DraftDecision.objects.filter(question__run__study=study, revoked_at=None, settles=False)
    both = pairs((question, _outcome(accepts)) for question, accepts in rows.values_list("question_id", "accepts"))
    found = kappa(both)
    return Agreement(len(both), sum(first == second for first, second in both), found) if found else None


def _held(study: Study, pk: int) -> DraftQuestion:
    """Return a drafted question, locked, of a study that is still a draft."""
    # The study's lock first, as imports take it: two people must not give two questions one name.
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not locked.is_draft:
        raise Conflict(_("The study was launched: its questions can’t be changed any more."), code="launched")
    row = DraftQuestion.objects.select_for_update(no_key=True, of=("self",)).filter(run__study=study, pk=pk)
    found = row.select_related("run").first()
    if found is None:
        raise NotFound(_("There is no such question."))
    return found


def note_play(*, study: Study, pk: int, user: User, now: datetime) -> None:
    """Store that a person has played the passage of a drafted question."""
    row = DraftQuestion.objects.filter(run__study=study, pk=pk).first()
    if row is not None and (clip := queries.clip_of(study, row.text_id)):
        keys = experts.audio_keys(user_id=user.pk, clips=[clip])
        experts.note_plays(user_id=user.pk, keys=keys.values(), now=now)


def _check_played(row: DraftQuestion, user: User) -> None:
    """Raise `Conflict` if this person has not played the passage; a golden question has none."""
    clip = queries.clip_of(row.run.study, row.text_id)
    if clip and not experts.played(user_id=user.pk, clips=[clip]):
        raise Conflict(_("Play the passage first, then decide."), code="not_played")


def _standing(row: DraftQuestion) -> QuerySet[DraftDecision]:
    return DraftDecision.objects.filter(question=row, revoked_at=None)


def _follow(row: DraftQuestion) -> None:
    """Update the state of a locked question from its valid decisions, and the study's questions with it."""
    decisions = list(_standing(row).order_by("pk").values_list("accepts", "settles"))
    plain = [_outcome(accepts) for accepts, settles in decisions if not settles]
    settled = [_outcome(accepts) for accepts, settles in decisions if settles]
    standing, outcome = rules.standing(plain, row.run.people, settled[-1] if settled else "")
    state = outcome or (State.DISPUTED if standing == "disputed" else State.OPEN)
    if state == State.ACCEPTED and row.question_id is None:
        row.question = _publish(row)
    elif state != State.ACCEPTED and row.question_id is not None:
        taken_back, row.question = row.question_id, None
        row.state = state
        row.save(update_fields=["state", "question"])
        Question.objects.filter(pk=taken_back).delete()
        summaries.outdate(row.run.study)
    row.state = state
    row.save(update_fields=["state", "question"])


def _outcome(accepts: bool) -> str:
    return State.ACCEPTED if accepts else State.REJECTED


def _publish(row: DraftQuestion) -> Question:
    """Add a question to the draft study by the rules of the import; raises `Conflict` where these forbid it."""
    study = row.run.study
    same = Question.objects.filter(study=study, text=row.text_id)
    prompts = {ingest.same(prompt) for prompt in same.values_list("prompt", flat=True)}
    if ingest.same(row.prompt) in prompts:
        raise Conflict(_("The study already has this question. Edit it, or reject it."), code="asked_before")
    if row.text is not None and same.count() >= MOST:
        text = _("The passage {name} has {most} questions, the most there may be. Reject this one.")
        raise Conflict(text.format(name=row.text.name, most=MOST), code="too_many")
    passage = row.text.name if row.text is not None else ""
    options = tuple(Option(each["text"], each["error"]) for each in row.options)
    kind = ingest.QUESTIONS if passage else ingest.GOLDEN_QUESTIONS
    rows = (ingest.QuestionRow(1, row.prompt, options, passage),)
    names = {passage: row.text.pk} if row.text is not None else {}
    added = publishing.add(study, (ingest.Questions(kind, rows, ()),), names)
    return Question.objects.get(pk=next(iter(added)))
