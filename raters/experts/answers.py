"""Code shared by reviewing and coding: usable test answers in queues that a worker fills."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict
from core.nudge import nudge
from raters.experts.models import QueueFill
from raters.rating.models import Answer, Rating, Trial, TrialClip
from studies.decisions import experts
from studies.decisions.experts import CardClip
from studies.decisions.kinds import NOT_FILLING, FillingState, Kind, QueueSettings
from studies.definition import facts
from studies.rules.decisions import Draws, draws

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

# Answers added per transaction, lowest draws first.
AT_ONCE = 2000
# When an expert's queue is empty, a worker searches all answers again, but at most this often.
REST = timedelta(minutes=5)
# After this, the page says that the worker is missing or busy.
PATIENCE = timedelta(minutes=2)


class AnswerKind(Kind):
    """Decisions on raters' texts; two experts decide a random share."""

    @abstractmethod
    def settings(self, study: Study) -> QueueSettings: ...

    @abstractmethod
    def missing(self, study: Study, trials: Collection[int] | None) -> list[tuple[Any, ...]]:
        """List the answers not in the queue yet, among all answers or those to these trials.

        The first two fields of each entry (answer, rating) seed its draws.
        """

    @abstractmethod
    def add(self, study: Study, drawn: Mapping[tuple[Any, ...], Draws]) -> None:
        """Add these answers to the queue in one transaction. Another worker may be adding the same ones."""

    def is_on(self, study: Study) -> bool:
        return self.settings(study).mode != "off" and not study.is_draft

    def usable(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.filter(is_usable())

    def allowed(self, rows: QuerySet[Any], user_id: int) -> QuerySet[Any]:
        # Experts don't decide on their own answers.
        opened_by = "answer__trial__session__opened_by"
        return rows.filter(Q(**{opened_by: None}) | ~Q(**{opened_by: user_id}), answer__trial__usable=True)

    def clips(self, items: Sequence[Any]) -> dict[int, list[CardClip]]:
        trials = {item.answer_id for item in items}
        clips = experts.card_clips(TrialClip.objects.filter(trial__in=trials), "trial_id")
        versions = dict(Trial.objects.filter(pk__in=trials).values_list("pk", "session__version_id"))
        leads = {trial: facts.frozen(version).kind.leads for trial, version in versions.items()}
        return {item.pk: _as_raters_saw(clips[item.answer_id], leads[item.answer_id]) for item in items}

    def check(self, user: User, item: Any, sent: Any) -> None:
        trial = Trial.objects.select_related("session").get(pk=item.answer_id)
        if trial.usable is not True:
            raise Conflict(_("This answer has been withdrawn. Here is the next one."), code="withdrawn")
        if trial.session.opened_by_id == user.pk:
            raise Conflict(_("Somebody else has decided this one. Here is the next one."), code="decided")

    def columns(self, item: Any, sent: Any, valid: Sequence[Any]) -> dict[str, Any]:
        purpose = "double" if any(decision.purpose == "first" for decision in valid) else "first"
        # Drawn once, at the first decision: later changes of the share don't reopen settled answers.
        return {"study": item.study, "purpose": purpose, "doubled": self.wanted(item, valid) == 2}

    def wanted(self, item: Any, valid: Sequence[Any]) -> int:
        is_doubled = valid[0].doubled if valid else item.double_draw < self.settings(item.study).double_share
        return 2 if is_doubled else 1

    def fill(
        self,
        *,
        study: Study,
        trials: Collection[int] | None = None,
        limit: int | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> int:
        """Add missing answers to the queue, or only the `limit` with the lowest draws; return their number.

        Without `trials`, it searches all answers of the study: use that in a worker. Before each chunk it stops if
        `goes_on()` is false.
        """
        if self.settings(study).mode == "off":
            return 0
        missing = self.missing(study, trials)
        drawn = {each: draws(self.name, study.secret, *each[:2]) for each in missing}
        chosen = sorted(missing, key=lambda each: drawn[each])[:limit]
        for start in range(0, len(chosen), AT_ONCE):
            if not goes_on():
                return start
            self.add(study, {each: drawn[each] for each in chosen[start : start + AT_ONCE]})
        return len(chosen)

    def filling(self, study: Study, now: datetime) -> FillingState:
        if (row := ask(study_id=study.pk, now=now)) is not None:
            nudge(QueueFill.task_name, row)
        return filling_of(study.pk, now)


def _as_raters_saw(clips: Sequence[CardClip], leads: int) -> list[CardClip]:
    return [clip._replace(letter=experts.letter_of(place, leads)) for place, clip in enumerate(clips)]


def filling_of(study_id: int, now: datetime) -> FillingState:
    """Return the progress of filling a study's queues; one SELECT."""
    row = QueueFill.objects.filter(study=study_id).first()
    if row is None or row.is_over:
        return NOT_FILLING
    # `lease_until` has passed if the worker died.
    since = row.queued_at if row.state == jobs.QUEUED else row.lease_until
    return FillingState(is_under_way=True, waits_since=since if since is not None and since < now - PATIENCE else None)


def ask(*, study_id: int, now: datetime) -> int | None:
    """Request a search of all answers of a study if the last one is old or used other settings.

    Returns the key of the row to process, None if one is already requested. Constant number of statements.
    """
    wanted = experts.queues([study_id]).get(study_id)
    if wanted is None:
        return None
    row, is_new = QueueFill.objects.get_or_create(
        study_id=study_id, defaults={"state": jobs.QUEUED, "queued_at": now, "wanted": ""}
    )
    is_outdated = ~Q(wanted=wanted) | Q(ended_at__lt=now - REST)
    over = QueueFill.objects.filter(is_outdated, pk=row.pk, state=jobs.DONE)
    return row.pk if is_new or over.update(state=jobs.QUEUED, queued_at=now, tries=0) else None


def reasons(study_id: int, settings: QueueSettings) -> QuerySet[Answer]:
    """Return the usable test answers with a reason; simulated raters only if the settings include them."""
    rows = Answer.objects.filter(
        trial__batch__session__study_id=study_id, trial__usable=True, trial__item__role="test"
    ).exclude(reason="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def is_usable() -> Exists:
    """Return a condition: the item's answer is usable. A join to the answer would cost twice as much."""
    return Exists(Trial.objects.filter(pk=OuterRef("answer_id"), usable=True))


def scored(versions: Mapping[int, int]) -> dict[int, list[tuple[int | None, str, str]]]:
    """Return {answer: [(place, code, label)]} of the scored part; `versions` maps each answer to its study version."""
    answers: dict[int, list[tuple[int | None, str, str]]] = defaultdict(list)
    rows = Rating.objects.filter(trial__in=versions).order_by("pk").values_list("trial_id", "part", "place", "code")
    for trial, part, place, code in rows:
        score = facts.frozen(versions[trial]).kind.score
        if part == score.part:
            answers[trial].append((place, code, _(score.codes[code]) if code in score.codes else code))
    return answers


def labels_of(versions: Mapping[int, int]) -> dict[int, list[dict[str, str]]]:
    """Return {answer: [{"clip": letter, "label": label}]} of the scored part; no letter for a single clip."""
    labels: dict[int, list[dict[str, str]]] = defaultdict(list)
    for trial, answers in scored(versions).items():
        kind = facts.frozen(versions[trial]).kind
        for place, _code, label in answers:
            letter = "" if kind.shows == "clip" or place is None else experts.letter_of(place, kind.leads)
            labels[trial].append({"clip": letter, "label": label})
    return labels


def of_answer(path: str) -> dict[str, Any]:
    """Return the export columns of the answer at `path` (`answer` or `item__answer`), for `values()`.

    `file` is the first clip that the answer is about.
    """
    trial = f"{path}__trial__"
    rated = Rating.objects.filter(trial=OuterRef(f"{path}_id"), clip__isnull=False).order_by("pk")[:1]
    return {
        "session_pk": F(f"{trial}session_id"),
        "rater_pk": F(f"{trial}rater_id"),
        "batch_number": F(f"{trial}batch__number"),
        "position": F(f"{trial}position"),
        "file": Subquery(rated.values("clip__file")),
        "is_simulated": F(f"{trial}session__simulated"),
        "usable": F(f"{trial}usable"),
    }
