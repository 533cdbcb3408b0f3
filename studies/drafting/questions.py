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


@dataclass(frozen=True, slots=True)
class _Try:
    """A request for the answer to a question without its passage, and the number of the right option."""

    request: Request[Chosen]
    row: DraftQuestion
    right: int


def draft_questions(turn: Turn) -> None:
    """Draft questions, a few passages at once; raises `Ended` when an answer could not be read."""
    plan = QuestionPlan.model_validate(turn.run.plan)
    texts = {text.pk: text for text in Text.objects.filter(study=turn.run.study_id, pk__in=plan.passages)}
    passages = [texts[pk] for pk in plan.passages if pk in texts]
    is_short = False
    for start in range(0, len(passages), SIDE_BY_SIDE):
        some = passages[start : start + SIDE_BY_SIDE]
        turn.done = start * (1 + plan.number)
        missing = [_question_request(turn, plan, text) for text in some if _is_missing(turn, plan, text)]
        for answered in turn.ask_each(missing):
            turn.done += 1
            _store(turn, answered, plan.number, texts[answered.draft.passage_id or 0])
        tries: list[_Try] = []
        for text in some:
            asked = _asked(turn, text)
            is_short = is_short or bool(asked[-1].error)
            rows = DraftQuestion.objects.filter(draft__in=asked).order_by("pk")
            tries += _tries(turn, rows, plan.tries, _language(text), turn.gate.box_of(text.name))
        _guess(turn, tries, plan.tries)
        turn.done = (start + len(some)) * (1 + plan.number)
    if is_short:
        raise Ended(DraftRun.Ending.SHORT)


def _asked(turn: Turn, text: Text) -> list[Draft]:
    """Return the requests for questions about a passage, of which the last one counts."""
    return list(Draft.objects.filter(run=turn.run, step="questions", passage=text).order_by("pk"))


def _is_missing(turn: Turn, plan: QuestionPlan, text: Text) -> bool:
    asked = _asked(turn, text)
    return not asked or (bool(asked[-1].error) and len(asked) < plan.rounds)


def _language(text: Text) -> str:
    return CHINESE if is_cjk(text.body) else ENGLISH


def _question_request(turn: Turn, plan: QuestionPlan, text: Text) -> Request[AskedQuestions]:
    number = len(_asked(turn, text))
    return Request(
        unit=f"questions/{text.pk}.{number + 1}" if number else f"questions/{text.pk}",
        step="questions",
        shape=answers.QUESTIONS,
        language=_language(text),
        values={"number": str(plan.number)},
        materials={"passage": [Material(text.body, turn.gate.box_of(text.name))]},
        passage=text.pk,
    )


def draft_golden(turn: Turn) -> None:
    """Draft golden questions; raises `Ended` when the model writes too few."""
    plan = GoldenPlan.model_validate(turn.run.plan)
    language = language_of(plan.language)
    rows = DraftQuestion.objects.filter(run=turn.run).order_by("pk")
    turn.done = rows.filter(tries__gte=plan.tries).count()
    _guess(turn, _tries(turn, rows, plan.tries, language, ""), plan.tries)
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
                language=language,
                values={
                    "number": str(wanted),
                    "topics": plan.topics or "–",
                    "language": LANGUAGES.get(plan.language.lower(), plan.language),
                },
                materials={},
            )
        )
        _store(turn, answered, wanted, None)
        _guess(turn, _tries(turn, rows, plan.tries, language, ""), plan.tries)


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


def _tries(turn: Turn, rows: QuerySet[DraftQuestion], tries: int, language: str, box: str) -> list[_Try]:
    """Return the tries that undecided questions still need, each with another order of options."""
    result = []
    for row in rows.filter(tries__lt=tries, state=DraftQuestion.State.OPEN, revision=0):
        options = tuple(Option(each["text"], each["error"]) for each in row.options)
        question = DraftedQuestion(row.prompt, options)
        for unit in (f"blind/{row.pk}.{number}" for number in range(1, tries + 1)):
            if unit in turn.units:
                continue
            listed, right = question_checks.shuffled(question, unit)
            request = Request(
                unit=unit,
                step="blind",
                shape=answers.CHOSEN,
                language=language,
                values={},
                materials={"question": [Material(row.prompt, box)], "options": [Material(listed, box)]},
                passage=row.text_id,
            )
            result.append(_Try(request, row, right))
    return result


def _guess(turn: Turn, tries: Sequence[_Try], number: int) -> None:
    """Ask questions without their passage, and flag those that the model answers."""
    by_unit = {each.request.unit: each for each in tries}
    for answered in turn.ask_each(each.request for each in tries):
        row, right = by_unit[answered.draft.unit].row, by_unit[answered.draft.unit].right
        row.tries += 1
        row.guessed += answered.read is not None and answered.read.option == right
        if row.tries == number:
            found = question_checks.guess_flags(row.guessed, number, golden=row.text_id is None)
            row.flags = [*row.flags, *(flag.as_json() for flag in found)]
            turn.done = min(turn.run.total, turn.done + 1)
        with turn.storing(answered.draft):
            row.save(update_fields=["tries", "guessed", "flags"])
