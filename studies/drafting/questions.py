"""Draft questions about passages, and golden ones, and try whether a model answers them without the passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from studies.clips.models import Text
from studies.drafting import queries
from studies.drafting.gate import Material
from studies.drafting.models import Draft, DraftQuestion, DraftRun
from studies.drafting.rules import answers, question_checks
from studies.drafting.rules.answers import AskedQuestions, Chosen
from studies.drafting.rules.plans import GOLDEN_AT_ONCE, GoldenPlan, QuestionPlan
from studies.drafting.rules.prompts import CHINESE, ENGLISH, language_of
from studies.drafting.rules.question_checks import DraftedQuestion
from studies.drafting.texts import LANGUAGES
from studies.drafting.working import SIDE_BY_SIDE, Answered, Ended, Request, Turn
from studies.rules.text import is_cjk
from studies.task_types.base import Option

# So many earlier questions are shown to the model, the newest ones.
EARLIER = 50


@dataclass(frozen=True, slots=True)
class _Try:
    """A request for the answer to a question without its passage, and the number of the right option."""

    request: Request[Chosen]
    row: DraftQuestion
    right: int


def draft_questions(turn: Turn) -> None:
    """Draft questions, a few passages at once; raises `Ended` when a passage got fewer than asked for."""
    plan = QuestionPlan.model_validate(turn.run.plan)
    texts = {text.pk: text for text in Text.objects.filter(study=turn.run.study_id, pk__in=plan.passages)}
    passages = [texts[pk] for pk in plan.passages if pk in texts]
    for start in range(0, len(passages), SIDE_BY_SIDE):
        some = passages[start : start + SIDE_BY_SIDE]
        turn.done = start * (1 + plan.number)
        while requests := [_question_request(turn, plan, text) for text in some if _is_missing(turn, plan, text)]:
            for answered in turn.ask_each(requests):
                text = texts[answered.draft.passage_id or 0]
                turn.done += not _asked(turn, text)
                _store(turn, answered, plan.number - _drafted(turn, text), text)
        _guess(turn, plan, [(text, DraftQuestion.objects.filter(run=turn.run, text=text)) for text in some])
        turn.done = (start + len(some)) * (1 + plan.number)
    if any(_drafted(turn, text) < plan.number for text in passages):
        raise Ended(DraftRun.Ending.SHORT)


def _asked(turn: Turn, text: Text) -> list[Draft]:
    """Return the requests for questions about a passage."""
    return list(Draft.objects.filter(run=turn.run, step="questions", passage=text).order_by("pk"))


def _drafted(turn: Turn, text: Text) -> int:
    return DraftQuestion.objects.filter(run=turn.run, text=text).count()


def _is_missing(turn: Turn, plan: QuestionPlan, text: Text) -> bool:
    """Return whether to ask for more questions: some were refused. An unreadable answer was asked for twice already."""
    asked = _asked(turn, text)
    unread = sum(bool(each.error) for each in asked)
    return len(asked) < plan.most_requests and unread < plan.rounds and _drafted(turn, text) < plan.number


def _language(text: Text | None, plan: QuestionPlan | GoldenPlan) -> str:
    if isinstance(plan, GoldenPlan):
        return language_of(plan.language)
    return CHINESE if text is not None and is_cjk(text.body) else ENGLISH


def _question_request(turn: Turn, plan: QuestionPlan, text: Text) -> Request[AskedQuestions]:
    number = len(_asked(turn, text))
    box = turn.gate("questions").box_of(text.name)
    return Request(
        unit=f"questions/{text.pk}.{number + 1}" if number else f"questions/{text.pk}",
        step="questions",
        shape=answers.QUESTIONS,
        language=_language(text, plan),
        values={"number": str(plan.number - _drafted(turn, text))},
        materials={"passage": [Material(text.body, box)], "earlier": _earlier(turn, text, box)},
        passage=text.pk,
    )


def _earlier(turn: Turn, text: Text | None, box: str) -> list[Material]:
    """Return the questions that new ones must not repeat."""
    known = queries.prompts_asked(turn.run.study_id, text.pk if text else None)
    return [Material(prompt, box) for prompt in known[-EARLIER:]]


def draft_golden(turn: Turn) -> None:
    """Draft golden questions; raises `Ended` when the model writes too few."""
    plan = GoldenPlan.model_validate(turn.run.plan)
    rows = DraftQuestion.objects.filter(run=turn.run)
    turn.done = sum(not _tries_left(turn, plan, row) for row in rows.all())
    _guess(turn, plan, [(None, rows)])
    while (there := rows.count()) < plan.number:
        number = Draft.objects.filter(run=turn.run, step="golden").count() + 1
        if number > plan.most_requests:
            raise Ended(DraftRun.Ending.SHORT)
        wanted = min(GOLDEN_AT_ONCE, plan.number - there)
        answered = turn.ask(
            Request(
                unit=f"golden/{number}",
                step="golden",
                shape=answers.QUESTIONS,
                language=language_of(plan.language),
                values={
                    "number": str(wanted),
                    "topics": plan.topics or "–",
                    "language": LANGUAGES.get(plan.language.lower(), plan.language),
                },
                materials={"earlier": _earlier(turn, None, "")},
            )
        )
        _store(turn, answered, wanted, None)
        _guess(turn, plan, [(None, rows)])


def _store(turn: Turn, answered: Answered[AskedQuestions], wanted: int, text: Text | None) -> None:
    """Store the questions that pass, and why the others were refused."""
    row, is_golden = answered.draft, text is None
    earlier = queries.prompts_asked(turn.run.study_id, text.pk if text else None)
    passed: list[DraftedQuestion] = []
    for asked in answered.read.questions if answered.read else ():
        reason = question_checks.refusal(asked, golden=is_golden, earlier=earlier)
        if not reason and len(passed) == wanted:
            reason = "too_many"
        if reason:
            row.refused.append({"reason": reason, "text": asked.question[:300]})
        else:
            earlier.append(asked.question)
            passed.append(question_checks.accepted(asked))
    with turn.storing(row):
        for question in passed:
            found = [] if text is None else question_checks.flags(question, text.body)
            DraftQuestion.objects.create(
                run=turn.run,
                draft=row,
                text=text,
                prompt=question.prompt,
                options=question_checks.as_json(question),
                flags=[flag.as_json() for flag in found],
            )


def _guess(
    turn: Turn, plan: QuestionPlan | GoldenPlan, groups: Sequence[tuple[Text | None, QuerySet[DraftQuestion]]]
) -> None:
    """Ask questions without their passage until each has enough readable answers, and flag those that are guessed."""
    while tries := [each for text, rows in groups for each in _tries(turn, plan, text, rows)]:
        by_unit = {each.request.unit: each for each in tries}
        for answered in turn.ask_each(each.request for each in tries):
            row, right = by_unit[answered.draft.unit].row, by_unit[answered.draft.unit].right
            row.tries += answered.read is not None
            row.guessed += answered.read is not None and answered.read.option == right
            if row.tries == plan.tries or _number_asked(turn, row) + 1 == plan.most_tries:
                found = question_checks.guess_flags(row.guessed, row.tries, plan.tries, golden=row.text_id is None)
                words = [flag for flag in row.flags if flag["code"] not in question_checks.MEASURED]
                row.flags = [*words, *(flag.as_json() for flag in found)]
                turn.done = min(turn.run.total, turn.done + 1)
            with turn.storing(answered.draft):
                row.save(update_fields=["tries", "guessed", "flags"])


def _tries(turn: Turn, plan: QuestionPlan | GoldenPlan, text: Text | None, rows: QuerySet[DraftQuestion]) -> list[_Try]:
    """Return the tries that undecided questions still need, each with another order of options."""
    box = turn.gate("blind").box_of(text.name) if text is not None else ""
    result = []
    for row in rows.order_by("pk"):
        options = tuple(Option(each["text"], each["error"]) for each in row.options)
        question = DraftedQuestion(row.prompt, options)
        numbers = range(1, plan.most_tries + 1)
        free = [unit for number in numbers if (unit := f"blind/{row.pk}.{number}") not in turn.units]
        for unit in free[: _tries_left(turn, plan, row)]:
            listed, right = question_checks.shuffled(question, unit)
            request = Request(
                unit=unit,
                step="blind",
                shape=answers.CHOSEN,
                language=_language(text, plan),
                values={},
                materials={"question": [Material(row.prompt, box)], "options": [Material(listed, box)]},
                passage=row.text_id,
            )
            result.append(_Try(request, row, right))
    return result


def _number_asked(turn: Turn, row: DraftQuestion) -> int:
    return sum(unit.startswith(f"blind/{row.pk}.") for unit in turn.units)


def _tries_left(turn: Turn, plan: QuestionPlan | GoldenPlan, row: DraftQuestion) -> int:
    """Return how many tries a question still needs; none once people work on it, or too many could not be read."""
    if row.state != DraftQuestion.State.OPEN or row.revision:
        return 0
    return max(0, min(plan.tries - row.tries, plan.most_tries - _number_asked(turn, row)))
