"""Draft questions about passages, and golden ones, and try whether a model answers them without the passage."""

from __future__ import annotations

from django.db.models import QuerySet

from studies.clips.models import Text
from studies.drafting import queries
from studies.drafting.gate import Material
from studies.drafting.models import Draft, DraftQuestion, DraftRun
from studies.drafting.rules import answers, question_checks
from studies.drafting.rules.answers import AskedQuestions
from studies.drafting.rules.plans import GOLDEN_AT_ONCE, GoldenPlan, QuestionPlan
from studies.drafting.rules.prompts import CHINESE, ENGLISH, language_of
from studies.drafting.rules.question_checks import DraftedQuestion
from studies.drafting.texts import LANGUAGES
from studies.drafting.working import Answered, Ended, Turn
from studies.rules.text import is_cjk
from studies.task_types.base import Option


def draft_questions(turn: Turn) -> None:
    """Draft questions about each passage, passage by passage; raises `Ended` when an answer could not be read."""
    plan = QuestionPlan.model_validate(turn.run.plan)
    texts = {text.pk: text for text in Text.objects.filter(study=turn.run.study_id, pk__in=plan.passages)}
    is_short = False
    for place, pk in enumerate(plan.passages):
        text = texts.get(pk)
        if text is None:
            continue
        passage = Material(text.body, turn.gate.box_of(text.name))
        language = CHINESE if is_cjk(text.body) else ENGLISH
        asked = Draft.objects.filter(run=turn.run, step="questions", passage=pk).order_by("pk")
        number, last = asked.count(), asked.last()
        if last is None or (last.error and number < plan.rounds):
            turn.done = place * (1 + plan.number) + 1
            answered = turn.ask(
                f"questions/{pk}.{number + 1}" if number else f"questions/{pk}",
                "questions",
                answers.QUESTIONS,
                language=language,
                values={"number": str(plan.number)},
                materials={"passage": [passage]},
                passage=pk,
            )
            _store(turn, answered, plan.number, text)
            last = answered.draft
        is_short = is_short or bool(last.error)
        rows = DraftQuestion.objects.filter(draft__in=asked).order_by("pk")
        _guess(turn, rows, plan.tries, language, passage.box)
        turn.done = (place + 1) * (1 + plan.number)
    if is_short:
        raise Ended(DraftRun.Ending.SHORT)


def draft_golden(turn: Turn) -> None:
    """Draft golden questions; raises `Ended` when the model writes too few."""
    plan = GoldenPlan.model_validate(turn.run.plan)
    language = language_of(plan.language)
    rows = DraftQuestion.objects.filter(run=turn.run).order_by("pk")
    turn.done = rows.filter(tries__gte=plan.tries).count()
    _guess(turn, rows, plan.tries, language, "")
    while (there := rows.count()) < plan.number:
        number = Draft.objects.filter(run=turn.run, step="golden").count() + 1
        if number > plan.most_requests:
            raise Ended(DraftRun.Ending.SHORT)
        wanted = min(GOLDEN_AT_ONCE, plan.number - there)
        answered = turn.ask(
            f"golden/{number}",
            "golden",
            answers.QUESTIONS,
            language=language,
            values={
                "number": str(wanted),
                "topics": plan.topics or "–",
                "language": LANGUAGES.get(plan.language.lower(), plan.language),
            },
            materials={},
        )
        _store(turn, answered, wanted, None)
        _guess(turn, rows, plan.tries, language, "")


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


def _guess(turn: Turn, rows: QuerySet[DraftQuestion], tries: int, language: str, box: str) -> None:
    """Ask each question without its passage, in several orders of its options; what people decided on is left alone."""
    for row in rows.filter(tries__lt=tries, state=DraftQuestion.State.OPEN, revision=0):
        options = tuple(Option(each["text"], each["error"]) for each in row.options)
        question = DraftedQuestion(row.prompt, options)
        for number in range(row.tries + 1, tries + 1):
            unit = f"blind/{row.pk}.{number}"
            listed, right = question_checks.shuffled(question, unit)
            answered = turn.ask(
                unit,
                "blind",
                answers.CHOSEN,
                language=language,
                values={},
                materials={"question": [Material(row.prompt, box)], "options": [Material(listed, box)]},
                passage=row.text_id,
            )
            row.tries = number
            row.guessed += answered.read is not None and answered.read.option == right
            if number == tries:
                found = question_checks.guess_flags(row.guessed, tries, golden=row.text_id is None)
                row.flags = [*row.flags, *(flag.as_json() for flag in found)]
                turn.done = min(turn.run.total, turn.done + 1)
            with turn.storing(answered.draft):
                row.save(update_fields=["tries", "guessed", "flags"])
