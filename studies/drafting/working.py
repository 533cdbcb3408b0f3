"""Carry out a run: a minute at a time, a few requests side by side, each unit of work once.

Other threads only wait for the endpoint; all work with the database is done in the worker's own.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from core import jobs
from core.errors import DomainError
from core.jobs import TakenOver, explain
from studies.drafting import prompts, targets
from studies.drafting.endpoint import Completion, Endpoint, EndpointTrouble
from studies.drafting.gate import Gate, Material
from studies.drafting.models import Draft, DraftRun
from studies.drafting.rules import answers
from studies.drafting.rules.prompts import FORMATS

if TYPE_CHECKING:
    from studies.drafting.rules.answers import Shape
    from studies.drafting.rules.prompts import Step

Clock = Callable[[], datetime]
A = TypeVar("A", bound=answers.Answer)
SLICE = timedelta(seconds=60)
# So many requests are under way at once.
SIDE_BY_SIDE = 4
LONGEST_ANSWER = 50_000
logger = logging.getLogger(__name__)


class Ended(Exception):
    """The run ends before it has everything."""

    def __init__(self, ending: str) -> None:
        super().__init__(ending)
        self.ending = ending


class Paused(Exception):
    """Other work gets its turn; the run continues at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request(Generic[A]):
    """What a model is asked in one unit of work."""

    unit: str
    step: Step
    shape: Shape[A]
    language: str
    kind: str = ""
    values: Mapping[str, str]
    materials: Mapping[str, Sequence[Material]]
    passage: int | None = None


class Answered(Generic[A]):
    """A request that was answered: the row to store, and what was read; None if it couldn't be."""

    def __init__(self, draft: Draft, read: A | None) -> None:
        self.draft, self.read = draft, read


@dataclass(slots=True)
class Sent(Generic[A]):
    """A request that is under way."""

    request: Request[A]
    draft: Draft
    messages: list[dict[str, str]]
    answer: Future[Completion]


class Clients:
    """The clients of the endpoints of the settings, each made when it is first needed; or one for all steps."""

    def __init__(self, endpoint: Endpoint | None) -> None:
        self.endpoint = endpoint
        self.made: dict[tuple[str, str], Endpoint] = {}

    def of(self, target: targets.Target) -> Endpoint:
        if self.endpoint is not None:
            return self.endpoint
        place = target.url, target.key
        if place not in self.made:
            self.made[place] = Endpoint(*place)
        return self.made[place]

    def close(self) -> None:
        for client in self.made.values():
            client.close()


class Turn:
    """One worker's turn at a run."""

    def __init__(self, run: DraftRun, clients: Clients, clock: Clock, ends: datetime | None, pool: Executor) -> None:
        self.run, self.clients, self.clock, self.ends, self.pool = run, clients, clock, ends, pool
        self.gates: dict[bool, Gate] = {}
        self.units = set(Draft.objects.filter(run=run).values_list("unit", flat=True))
        self.done = run.done

    def gate(self, step: Step) -> Gate:
        """Return the gate to the endpoint of a step."""
        is_private = targets.are_private([step])
        if is_private not in self.gates:
            self.gates[is_private] = Gate(self.run.study_id, is_private=is_private)
        return self.gates[is_private]

    def ask(self, request: Request[A]) -> Answered[A]:
        """Ask a model for one unit of work; nothing is stored yet."""
        (answered,) = self.ask_each([request])
        return answered

    def ask_each(self, requests: Iterable[Request[A]]) -> Iterator[Answered[A]]:
        """Ask a model for several units, some at once, and yield their answers in the order of the requests.

        When the run must not ask any more, or a request fails, this yields what else is under way before it raises.
        """
        waiting, under_way, end = iter(requests), deque[Sent[A]](), None
        while True:
            try:
                while end is None and len(under_way) < SIDE_BY_SIDE and (request := next(waiting, None)) is not None:
                    under_way.append(self._send(request))
                if not under_way:
                    break
                answered = self._answered(under_way.popleft())
            except (Ended, Paused, DomainError) as reason:
                end = end or reason
            else:
                yield answered
        if end is not None:
            raise end

    def _send(self, request: Request[A]) -> Sent[A]:
        step = request.step
        prompt = prompts.current(
            study_id=self.run.study_id, step=step, kind=request.kind, language=request.language, now=self.clock()
        )
        draft = Draft(
            run=self.run,
            unit=request.unit,
            step=step,
            prompt=prompt,
            passage_id=request.passage,
            model=targets.target(step).model,
            parameters=targets.parameters(step),
        )
        content = self.gate(step).message(step, prompt.body, request.values, request.materials)
        messages = [{"role": "user", "content": content}]
        return Sent(request, draft, messages, self._submit(draft, messages))

    def _answered(self, sent: Sent[A]) -> Answered[A]:
        """Wait for an answer, and ask once more if it can't be read."""
        draft, shape = sent.draft, sent.request.shape
        read, wrong = self._read(self._complete(draft, sent.answer), shape)
        if read is None:
            again = f"Your answer can't be used: {wrong}. {FORMATS[sent.request.step]}"
            # Some endpoints refuse a message without words.
            said = [{"role": "assistant", "content": draft.answer}] if draft.answer.strip() else []
            second = [*sent.messages, *said, {"role": "user", "content": again}]
            answer = self._complete(draft, self._submit(draft, second))
            read, wrong = self._read(answer, shape)
            if read is None:
                draft.error = _unreadable(answer, wrong, targets.parameters(sent.request.step).get("max_tokens"))
        return Answered(draft, read)

    @contextmanager
    def storing(self, draft: Draft) -> Iterator[None]:
        """Store a request with what came of it, or nothing if another worker has the run."""
        draft.at = self.clock()
        try:
            with transaction.atomic():
                draft.save()
                yield
                if not jobs.renew(self.run, self.clock(), done=self.done, total=self.run.total):
                    raise TakenOver
        except IntegrityError as error:
            if Draft.objects.filter(run=self.run, unit=draft.unit).exists():
                raise TakenOver from error
            raise
        self.units.add(draft.unit)

    def check(self) -> None:
        """Raise `Ended` or `Paused` when the run must not ask any more now."""
        row = DraftRun.objects.only("stop_asked_at", "tokens", "calls", "budget_tokens", "budget_calls").get(
            pk=self.run.pk
        )
        if row.stop_asked_at is not None:
            raise Ended(DraftRun.Ending.STOPPED)
        if row.tokens >= row.budget_tokens or row.calls >= row.budget_calls:
            raise Ended(DraftRun.Ending.BUDGET)
        if self.ends is not None and self.clock() >= self.ends:
            raise Paused

    def _submit(self, draft: Draft, messages: Sequence[Mapping[str, str]]) -> Future[Completion]:
        self.check()
        # Counted before it is sent: a request whose worker was killed has cost something, too.
        DraftRun.objects.filter(pk=self.run.pk).update(calls=F("calls") + 1)
        # As the settings say: the model may report another name, and the endpoint may have refused a parameter.
        step = cast("Step", draft.step)
        target, parameters = targets.target(step), targets.parameters(step)
        complete = self.clients.of(target).complete
        return self.pool.submit(complete, model=target.model, messages=messages, parameters=parameters)

    def _complete(self, draft: Draft, future: Future[Completion]) -> Completion:
        """Wait for an answer, and count what it took."""
        rows = DraftRun.objects.filter(pk=self.run.pk)
        try:
            answer = future.result()
        except EndpointTrouble as trouble:
            rows.update(calls=F("calls") + trouble.calls - 1)
            raise
        tokens = answer.tokens_in + answer.tokens_out
        rows.update(calls=F("calls") + answer.calls - 1, tokens=F("tokens") + tokens)
        draft.model, draft.answer = answer.model, answer.text[:LONGEST_ANSWER]
        draft.parameters, draft.is_estimated = dict(answer.parameters), draft.is_estimated or answer.is_estimated
        draft.tokens_in += answer.tokens_in
        draft.tokens_out += answer.tokens_out
        draft.calls += answer.calls
        draft.seconds = round(draft.seconds + answer.seconds, 3)
        return answer

    def _read(self, answer: Completion, shape: Shape[A]) -> tuple[A | None, str]:
        if answer.cut:
            return None, "it was cut off because it was too long"
        try:
            return shape.read(answer.text), ""
        except ValueError as error:
            return None, str(error)


def _unreadable(answer: Completion, wrong: str, limit: int | None) -> str:
    if answer.cut and limit is not None:
        return _(
            "The model’s answer was cut off at {number} tokens, and so was its second one. An administrator can "
            "raise EARSHOT_DRAFT_MAX_TOKENS for this step."
        ).format(number=limit)
    return _("The model’s answer could not be read, and neither could its second one: {reason}.").format(reason=wrong)


Work = Callable[[Turn], None]


def work(
    *, pk: int, clock: Clock, work_of_kinds: Mapping[str, Work], endpoint: Endpoint | None = None,
    lasts: timedelta | None = SLICE,
) -> bool:  # fmt: skip
    """Work on a run for a while; return True if it should continue at once."""
    run = jobs.claim(DraftRun, pk, clock())
    if run is None:
        return False
    if run.tries - run.pauses > jobs.MAX_TRIES:
        jobs.finish(run, clock(), error=_("The worker stopped each time it tried this."))
        return False
    clients = Clients(endpoint)
    error, ending = "", ""
    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE, "draft") as pool:
            turn = Turn(run, clients, clock, clock() + lasts if lasts is not None else None, pool)
            work_of_kinds[run.kind](turn)
    except TakenOver:
        return False
    except Paused:
        return _release(run, clock())
    except Ended as end:
        ending = end.ending
    except DomainError as refusal:
        error = refusal.message
    except Exception as unforeseen:
        logger.exception("%s failed", run)
        error = explain(unforeseen)
    finally:
        clients.close()
    whole = {} if error or ending else {"done": run.total}
    jobs.finish(run, clock(), error=error, ending=ending, **whole)
    return False


def _release(run: DraftRun, now: datetime) -> bool:
    """Queue a run again without counting a failure."""
    rows = DraftRun.objects.filter(pk=run.pk, state=jobs.RUNNING, tries=run.tries)
    return bool(rows.update(state=jobs.QUEUED, queued_at=now, lease_until=None, pauses=F("pauses") + 1))
