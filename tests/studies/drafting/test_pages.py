"""The pages of drafting as a researcher's browser gets them."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from demo.stand_in import StandIn
from studies.corpus import services as corpus
from studies.drafting import inspecting, prompts, requesting
from studies.drafting.models import DraftPrompt, DraftQuestion, DraftRun
from studies.models import Clip, CorpusText, Member, Question, Study
from tests.researchers import logged_in, researcher, text
from tests.studies.drafting.conftest import KEY
from tests.studies.drafting.material import ask, ask_texts, hear, passages

pytestmark = pytest.mark.django_db
Work = Callable[..., DraftRun]


@pytest.fixture
def study(now: datetime) -> Study:
    study = passages(now)
    study.owner = researcher("rosa")
    study.save()
    return study


@pytest.fixture
def page(study: Study) -> Client:
    assert study.owner is not None
    return logged_in(study.owner)


def see(page: Client, study: Study, name: str, *args: Any) -> str:
    response = page.get(reverse(f"drafting:{name}", args=[study.slug, *args]))
    assert response.status_code == 200
    return text(response)


@pytest.mark.parametrize("kind", ["texts", "questions"])
def test_the_progress_of_a_run_brings_the_figures_that_its_page_shows(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime, kind: str
) -> None:
    wanted = 3 if kind == "texts" else 2
    run = ask_texts(study, now, number=3) if kind == "texts" else ask(study, now, number=2, tries=1)
    address = reverse("drafting:progress", args=[study.slug, run.pk])
    before = page.get(address).json()["figures"]
    assert (before[kind], before["calls"]) == (f"0 of {wanted}", "0 of at most 1000")
    shown = dict(re.findall(r'<dd data-figure="(\w+)">(.*?)</dd>', see(page, study, "run", run.pk)))
    assert shown == {name: str(value) for name, value in before.items()}
    run = draft(run)
    after = page.get(address).json()["figures"]
    assert after["calls"] == f"{run.calls} of at most 1000"
    assert after["tokens"] == f"{run.tokens} of at most 200000"
    drafted = run.questions.count() + CorpusText.objects.count()
    assert after[kind] == f"{drafted} of {wanted}"
    assert drafted > 0
    shown = dict(re.findall(r'<dd data-figure="(\w+)">(.*?)</dd>', see(page, study, "run", run.pk)))
    assert shown == {name: str(value) for name, value in after.items()}


def test_black_box_words_and_questions_are_for_people_who_may_change_the_study(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime, settings: Any
) -> None:
    assert study.owner is not None
    settings.DRAFT_PRIVATE = True
    Clip.objects.filter(study=study).update(box="black")
    asked = draft(ask(study, now))
    texts = draft(ask_texts(study, now, box="black"))
    questions = list(DraftQuestion.objects.order_by("pk"))
    hear(study, study.owner)
    inspecting.decide(study=study, pk=questions[0].pk, user=study.owner, accepts=True, revision=0, now=now)
    words = [*(each.prompt for each in questions), *CorpusText.objects.values_list("body", flat=True), "Talladega"]
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    shown = [("run", asked.pk), ("run", texts.pk), ("inspect",), ("decisions",), ("download", asked.pk)]
    for name, *args in [*shown, ("download", texts.pk)]:
        seen, told = (html.unescape(see(who, study, name, *args)) for who in (page, logged_in(viewer)))
        assert any(each in seen for each in words), name
        assert [each for each in words if each in told] == [], name


def test_without_a_model_the_page_says_what_an_administrator_sets(page: Client, study: Study, settings: Any) -> None:
    settings.DRAFT_URL = ""
    shown = see(page, study, "home")
    assert "EARSHOT_DRAFT_URL" in shown
    assert "import them as CSV" in shown
    assert "Draft questions</button>" not in shown


def test_a_run_is_started_from_the_page_and_the_web_process_asks_nobody(
    page: Client, study: Study, stand_in: StandIn, now: datetime
) -> None:
    shown = see(page, study, "home")
    assert "not marked as private" in shown
    assert KEY not in shown
    values = {
        "kind": "questions", "passages": [study.texts.get().pk], "number": 3, "people": 2, "tries": 4,
        "budget_tokens": 1000, "budget_calls": 10,
    }  # fmt: skip
    wrong = page.post(reverse("drafting:home", args=[study.slug]), {**values, "number": 1})
    assert wrong.status_code == 422
    assert 'id="questions_number_error"' in text(wrong)
    started = page.post(reverse("drafting:home", args=[study.slug]), values)
    run = DraftRun.objects.get()
    assert (started.status_code, started["Location"]) == (303, reverse("drafting:run", args=[study.slug, run.pk]))
    assert (run.plan["number"], run.people, run.budget_tokens, run.created_by) == (3, 2, 1000, study.owner)
    assert "Stop run" in see(page, study, "run", run.pk)
    assert stand_in.requests == []
    page.post(reverse("drafting:run", args=[study.slug, run.pk]), {"do": "stop"})
    assert "Continue run" in see(page, study, "run", run.pk)


@pytest.mark.parametrize(("language", "lengths"), [("zh-hans", (40, 120)), ("en", (120, 400)), ("ar", (120, 400))])
def test_texts_have_the_usual_length_of_the_language_that_was_entered(
    page: Client, study: Study, stand_in: StandIn, language: str, lengths: tuple[int, int]
) -> None:
    values = {
        "kind": "texts", "dimension": "polyphones", "number": 3, "language": language, "shortest": "", "longest": "",
        "similarity": 0.5, "budget_tokens": 1000, "budget_calls": 10,
    }  # fmt: skip
    shown = page.get(reverse("drafting:home", args=[study.slug])).content.decode()
    assert re.findall(r'name="(?:shortest|longest)"[^>]*value=', shown) == []
    page.post(reverse("drafting:home", args=[study.slug]), values)
    plan = DraftRun.objects.get().plan
    assert (plan["shortest"], plan["longest"]) == lengths


def test_black_box_texts_are_refused_beside_the_form(page: Client, study: Study, stand_in: StandIn) -> None:
    values = {
        "kind": "texts", "dimension": "polyphones", "number": 3, "language": "en", "box": "black", "shortest": 10,
        "longest": 100, "similarity": 0.5, "budget_tokens": 1000, "budget_calls": 10,
    }  # fmt: skip
    refused = page.post(reverse("drafting:home", args=[study.slug]), values)
    assert refused.status_code == 422
    assert "private endpoints only" in text(refused)


def test_hostile_answers_are_escaped_on_every_page_and_harmless_in_the_table(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime
) -> None:
    stand_in.fault = "hostile"
    run = draft(ask(study, now, tries=0, number=4))
    texts = draft(ask_texts(study, now, number=5))
    assert study.owner is not None
    hear(study, study.owner)
    for row in list(DraftQuestion.objects.all())[:2]:
        inspecting.decide(study=study, pk=row.pk, user=study.owner, accepts=True, revision=0, now=now)
    pages = [see(page, study, name) for name in ("home", "inspect", "decisions", "prompt")]
    pages += [see(page, study, "run", each.pk) for each in (run, texts)]
    pages += [text(page.get(reverse("studies:texts", args=[study.slug])))]
    assert any("&lt;script&gt;alert(1)" in shown for shown in pages)
    for shown in pages:
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown
    assert Question.objects.count() == 2, "only what a person accepted"
    cells = []
    for each in (run, texts):
        sent = page.get(reverse("drafting:download", args=[study.slug, each.pk])).content.decode()
        cells += [cell for row in csv.DictReader(io.StringIO(sent)) for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert any(cell.startswith(("'=HYPERLINK", "'+1+1")) for cell in cells)


def test_deciding_by_the_page(page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime) -> None:
    draft(ask(study, now, tries=4))
    shown = see(page, study, "inspect")
    assert "audio/" in shown
    assert "of 4 readable tries were right" in shown
    first, second = DraftQuestion.objects.order_by("pk")[:2]
    address = reverse("drafting:inspect", args=[study.slug])
    decision = {"do": "accept", "question": first.pk, "revision": 0, "next": second.pk}
    assert 'aria-disabled="true"' in shown
    unheard = page.post(address, decision, follow=True)
    assert "Play the passage first, then decide." in text(unheard)
    assert unheard.redirect_chain[0][0] == f"{address}?question={first.pk}"
    assert not Question.objects.exists()
    gone_on = page.post(address, {**decision, "played": "1"})
    assert 'aria-disabled="true"' not in see(page, study, "inspect"), "played for all questions about this passage"
    assert gone_on["Location"] == f"{address}?question={second.pk}"
    assert Question.objects.count() == 1
    body = {"do": "edit", "question": second.pk, "revision": 0, "prompt": "New?", "option": ["a", "A", "b"]}
    wrong = page.post(address, {**body, "error": ["phonetic", "semantic"]})
    assert wrong.status_code == 422
    assert "same as the right answer" in text(wrong)
    assert 'value="A"' in text(wrong), "what was entered stays"
    page.post(address, {**body, "option": ["a", "c", "b"], "error": ["phonetic", "semantic"]})
    second.refresh_from_db()
    assert (second.prompt, second.options[1]) == ("New?", {"text": "c", "error": "phonetic"})
    page.post(address, {"do": "undo"})
    assert not Question.objects.exists()


def test_a_prompt_is_edited_as_a_new_version(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime
) -> None:
    address = reverse("drafting:prompt", args=[study.slug])
    chosen = {"step": "questions", "language": "en", "do": "save"}
    wrong = page.post(address, {**chosen, "body": "Write {number} questions about {everything}."})
    assert wrong.status_code == 422
    assert "{passage}" in text(wrong)
    page.post(address, {**chosen, "body": "MINE: write {number} questions.\n{passage}"})
    assert list(DraftPrompt.objects.values_list("number", "author__username")) == [(2, "rosa"), (1, None)]
    draft(ask(study, now, tries=0))
    assert stand_in.requests[0]["messages"][0]["content"].startswith("MINE: write 4 questions.")
    assert DraftQuestion.objects.all()[0].draft.prompt.number == 2
    page.post(address, {**chosen, "do": "built_in"})
    assert DraftPrompt.objects.order_by("-number")[0].number == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (" ", "Write a prompt."),
        ("Write questions.", "The prompt must contain {number}, {passage}"),
        ("{number} {passage} {everything}", "The prompt contains {everything}, which nothing fills in."),
        ("{number} {passage} " + "a" * 8000, "The prompt is too long. Write at most 8000 characters."),
    ],
)
def test_a_prompt_that_cannot_work_is_refused_with_the_reason(
    page: Client, study: Study, body: str, message: str
) -> None:
    sent = {"step": "questions", "language": "en", "do": "save", "body": body}
    refused = page.post(reverse("drafting:prompt", args=[study.slug]), sent)
    assert refused.status_code == 422
    assert message in text(refused)
    assert not DraftPrompt.objects.filter(author__isnull=False).exists()


def test_who_may_only_see_starts_and_decides_nothing(
    study: Study, stand_in: StandIn, draft: Work, now: datetime
) -> None:
    from studies.members.models import Member

    draft(ask(study, now, tries=0))
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    page = logged_in(viewer)
    assert 'data-key="a"' not in see(page, study, "inspect")
    row = DraftQuestion.objects.all()[0]
    sent = {"do": "accept", "question": row.pk, "revision": 0}
    assert page.post(reverse("drafting:inspect", args=[study.slug]), sent).status_code == 403


def test_topics_and_prompts_that_quote_a_black_box_text_are_for_people_who_may_change_the_study(
    page: Client, study: Study, now: datetime, stand_in: StandIn, draft: Work
) -> None:
    secret = "The zebra keeps an umbrella in the vault."
    corpus.add(study=study, name="s1", values={"body": secret, "box": "black"}, author=study.owner, now=now)
    prompts.save(
        study=study, step="colloquial", kind="", language="en", body=f"{secret} {{text}}", user=study.owner, now=now
    )
    run = draft(ask_texts(study, now, topics=secret))
    Member.objects.create(study=study, user=(viewer := researcher("vera")), role="viewer", added_at=now)
    told = logged_in(viewer)
    asked = {"step": "colloquial", "language": "en"}
    for who, sees in ((page, True), (told, False)):
        assert (secret in see(who, study, "run", run.pk)) == sees
        assert (secret in text(who.get(reverse("drafting:prompt", args=[study.slug]), asked))) == sees
    assert "Remove these words" in see(page, study, "run", run.pk)
    assert "tell the administrator" not in see(page, study, "run", run.pk)


@pytest.mark.parametrize(
    ("fault", "shown"),
    [("malformed", "answers of the model could not be read"), ("huge", "tell the administrator of this server")],
)
def test_a_run_that_the_model_spoiled_says_what_to_do(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime, fault: str, shown: str
) -> None:
    stand_in.fault = fault
    run = draft(ask_texts(study, now))
    told = see(page, study, "run", run.pk)
    assert shown in told
    assert "Other topics may help" not in told
    assert "Continue run" in told
    if fault == "malformed":
        # Continued, it is short for another reason.
        stand_in.fault = ""
        requesting.resume(run=run, now=now)
        DraftRun.objects.filter(pk=run.pk).update(plan={**run.plan, "number": 200})
        assert draft(run).ending == "short"
        assert "Other topics may help" in see(page, study, "run", run.pk)


def test_a_run_that_is_to_stop_says_so(page: Client, study: Study, stand_in: StandIn, now: datetime) -> None:
    run = ask_texts(study, now)
    DraftRun.objects.filter(pk=run.pk).update(state="running", stop_asked_at=now)
    shown = see(page, study, "run", run.pk)
    assert "Stopping: the run ends" in shown
    assert "Stop run" not in shown


def test_all_dimensions_can_be_chosen_at_once(page: Client, study: Study, stand_in: StandIn) -> None:
    values = {
        "kind": "texts", "dimension": "*", "number": 3, "language": "en", "similarity": 0.5, "budget_tokens": 1000,
        "budget_calls": 10,
    }  # fmt: skip
    assert "All 5 dimensions" in see(page, study, "home")
    assert page.post(reverse("drafting:home", args=[study.slug]), values).status_code == 303
    run = DraftRun.objects.get()
    assert (run.plan["dimension"], len(run.plan["others"]), run.total) == ("special_characters", 4, 15)
    assert "3 texts for each of 5 dimensions, en" in see(page, study, "run", run.pk)


@pytest.mark.parametrize(("number", "is_offered"), [(1, False), (2, True), (20, True), (21, False)])
def test_all_dimensions_are_offered_as_long_as_one_run_can_take_them(
    page: Client, study: Study, stand_in: StandIn, number: int, is_offered: bool
) -> None:
    own = [{"name": f"style_{place}", "explanation": "Asks for a style."} for place in range(number)]
    corpus.save_settings(study=study, dimensions=own, cross_check=False)
    assert (f"All {number} dimensions" in see(page, study, "home")) is is_offered


def test_the_table_of_a_run_has_every_request(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime
) -> None:
    run = draft(ask_texts(study, now))
    rows = list(csv.DictReader(io.StringIO(see(page, study, "download", run.pk))))
    assert {row["step"] for row in rows if row["kind"] == "request"} == {"generate"}
    assert sum(int(row["tokens_in"]) + int(row["tokens_out"]) for row in rows) == run.tokens


def test_a_disagreement_is_settled_beside_the_passage_and_its_sound(
    page: Client, study: Study, stand_in: StandIn, draft: Work, now: datetime
) -> None:
    assert study.owner is not None
    draft(ask(study, now, people=2))
    row, other = DraftQuestion.objects.order_by("pk")[:2]
    hear(study, study.owner, ben := researcher("ben"))
    inspecting.decide(study=study, pk=row.pk, user=study.owner, accepts=True, revision=0, now=now)
    inspecting.decide(study=study, pk=row.pk, user=ben, accepts=False, revision=0, now=now)
    inspecting.decide(study=study, pk=other.pk, user=study.owner, accepts=True, revision=0, now=now)
    shown = see(page, study, "decisions")
    assert "Talladega" in shown
    assert "<audio" in shown
    assert "right answer" in shown
    assert "Play the passage first" not in shown
    address = reverse("drafting:decisions", args=[study.slug])
    rita = researcher("rita")
    Member.objects.create(study=study, user=rita, role="editor", added_at=now)
    other_page, decision = logged_in(rita), {"question": row.pk, "do": "accept"}
    assert "Play the passage first" in text(other_page.get(address))
    other_page.post(address, decision)
    assert DraftQuestion.objects.get(pk=row.pk).state == "disputed"
    left = DraftQuestion.objects.filter(state="open").count() - 1
    assert f"{left} questions wait for your decision" in shown
    assert "1 question waits for another person" in shown
