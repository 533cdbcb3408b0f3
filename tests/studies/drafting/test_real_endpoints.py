"""Runs against endpoints as they are: other names, refused parameters, reasoning models, missing usage, bad answers."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import httpx
import pytest
from django.urls import reverse

from core import jobs
from demo.stand_in import StandIn, answer
from studies.corpus import services as corpus
from studies.drafting import kinds, prompts, requesting, targets
from studies.drafting.endpoint import Endpoint
from studies.drafting.gate import Withheld
from studies.drafting.models import Draft, DraftQuestion, DraftRun
from studies.models import Clip
from tests.researchers import logged_in, researcher, text
from tests.studies.drafting.material import PASSAGE, ask, ask_texts, passages
from tests.world import make_study

pytestmark = pytest.mark.django_db
Reply = Callable[[dict[str, Any]], httpx.Response]


@pytest.fixture(autouse=True)
def _configured(settings: Any) -> None:
    settings.DRAFT_URL, settings.DRAFT_MODEL, settings.DRAFT_KEY = "https://llm.example.org/v1", "alias", "sk-1"
    settings.DRAFT_SECOND_MODEL, settings.DRAFT_PRIVATE = "", False


def document(content: str, **more: Any) -> httpx.Response:
    choice = {"message": {"content": content}, "finish_reason": more.pop("finish_reason", "stop")}
    usage = {"usage": {"prompt_tokens": 30, "completion_tokens": 20}}
    return httpx.Response(200, json={"choices": [choice], "model": "alias-2026-05-01", **usage, **more})


def message(body: dict[str, Any]) -> str:
    return str(body["messages"][0]["content"])


def is_blind(body: dict[str, Any]) -> bool:
    return '{"option": 1}' in message(body)


def work(run: DraftRun, reply: Reply, now: datetime) -> tuple[DraftRun, list[dict[str, Any]]]:
    """Carry a run out; return it, and the requests that the endpoint got."""
    sent: list[dict[str, Any]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return reply(sent[-1])

    endpoint = Endpoint(
        "https://llm.example.org/v1", "sk-1", sleep=lambda _seconds: None, transport=httpx.MockTransport(handle)
    )
    kinds.work(pk=run.pk, clock=lambda: now, endpoint=endpoint, lasts=None)
    endpoint.close()
    run.refresh_from_db()
    return run, sent


def refusal(about: str, said: str) -> httpx.Response:
    error = {"message": said, "type": "invalid_request_error", "param": about, "code": "unsupported_parameter"}
    return httpx.Response(400, json={"error": error})


def test_an_unreadable_answer_is_asked_for_again_under_the_configured_name(now: datetime) -> None:
    def reply(body: dict[str, Any]) -> httpx.Response:
        if body["model"] != "alias":
            return httpx.Response(404, json={"error": {"message": f"The deployment {body['model']} does not exist."}})
        return document("Let me think." if len(body["messages"]) == 1 else answer(message(body)))

    run, sent = work(ask_texts(make_study(now=now, launch=False), now, number=2), reply, now)
    assert (run.state, run.error, run.done) == (jobs.DONE, "", 2)
    assert {body["model"] for body in sent} == {"alias"}
    assert set(Draft.objects.values_list("model", flat=True)) == {"alias-2026-05-01"}


def test_unreadable_tries_are_no_tries_and_are_asked_again(now: datetime) -> None:
    asked: list[str] = []

    def reply(body: dict[str, Any]) -> httpx.Response:
        if is_blind(body):
            asked.append(message(body))
            # The first four answers, each asked for twice.
            return document("I can't know that." if len(asked) <= 8 else answer(message(body)))
        return document(answer(message(body)))

    work(ask(passages(now), now, number=2), reply, now)
    assert set(DraftQuestion.objects.values_list("tries", flat=True)) == {4}
    assert not any(flag["code"] == "few_tries" for row in DraftQuestion.objects.all() for flag in row.flags)


@pytest.mark.parametrize("readable", [0, 2])
def test_a_question_with_too_few_readable_tries_is_flagged(now: datetime, readable: int) -> None:
    answered: list[str] = []

    def reply(body: dict[str, Any]) -> httpx.Response:
        if not is_blind(body):
            return document(answer(message(body)))
        if len(answered) < readable:
            answered.append(message(body))
            right = next(line for line in message(body).splitlines() if line.endswith(". Seven"))
            return document(json.dumps({"option": int(right[0])}))
        return document("<think>Hm.")

    def golden(body: dict[str, Any]) -> httpx.Response:
        made = {"question": "How many days has a week?", "answer": "Seven"}
        distractors = [{"text": "Two"}, {"text": "Nine"}]
        return (
            reply(body)
            if is_blind(body)
            else document(json.dumps({"questions": [made | {"distractors": distractors}]}))
        )

    plan = {"number": 1, "language": "en", "tries": 4}
    run, _sent = work(
        requesting.request(study=passages(now), kind="golden", plan=plan, user=None, now=now), golden, now
    )
    row = DraftQuestion.objects.get()
    assert (row.tries, row.guessed, run.done) == (readable, readable, 1)
    assert row.flags == [{"code": "few_tries", "detail": f"{readable}/4"}]


def test_a_model_gets_the_parameters_that_it_takes(now: datetime, settings: Any) -> None:
    settings.DRAFT_MAX_TOKENS = {**settings.DRAFT_MAX_TOKENS, "generate": 12000}
    settings.DRAFT_TEMPERATURE = {**settings.DRAFT_TEMPERATURE, "colloquial": None}

    def reply(body: dict[str, Any]) -> httpx.Response:
        if "max_tokens" in body:
            return refusal("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in body:
            return refusal("temperature", "Unsupported value: 'temperature' does not support 1.0 with this model.")
        return document(answer(message(body)))

    run, sent = work(ask_texts(make_study(now=now, launch=False), now, number=2), reply, now)
    assert (run.state, run.error, run.done) == (jobs.DONE, "", 2)
    assert run.calls == len(sent) == 2 + Draft.objects.count(), "each refusal costs one request"
    first = Draft.objects.get(step="generate")
    assert first.parameters == {"max_completion_tokens": 12000}
    assert "temperature" not in sent[-1]


@pytest.mark.parametrize("said", ["max_tokens is too large: at most 4096.", "No such deployment."])
def test_any_other_refusal_ends_the_run_at_once(now: datetime, said: str) -> None:
    def reply(_body: dict[str, Any]) -> httpx.Response:
        return httpx.Response(400, json={"error": {"message": said}})

    run, sent = work(ask_texts(make_study(now=now, launch=False), now), reply, now)
    assert said in run.error
    assert len(sent) == 1


def test_an_answer_that_was_cut_off_names_the_setting(now: datetime) -> None:
    run, sent = work(
        ask_texts(make_study(now=now, launch=False), now), lambda _body: document("", finish_reason="length"), now
    )
    row = Draft.objects.first()
    assert row is not None
    assert "cut off at 6000 tokens" in row.error
    assert "EARSHOT_DRAFT_MAX_TOKENS" in row.error
    assert run.ending == "short"
    assert not any(each["content"] == "" for body in sent for each in body["messages"])


def test_refused_questions_are_asked_again_until_there_are_as_many_as_wanted(now: datetime) -> None:
    def reply(body: dict[str, Any]) -> httpx.Response:
        made = json.loads(answer(message(body)))
        # All but the first one of each answer have an option that the task adds.
        for question in made["questions"][1:]:
            question["distractors"][1]["text"] = "None of the above"
        return document(json.dumps(made))

    run, sent = work(ask(passages(now), now, number=3, tries=0), reply, now)
    assert (run.ending, DraftQuestion.objects.count(), len(sent)) == ("", 3, 3)
    assert re.findall(r"Write (\d+) ", "".join(map(message, sent))) == ["3", "2", "1"], "only what is missing"
    first = DraftQuestion.objects.order_by("pk")[0].prompt
    assert first not in message(sent[0])
    assert first in message(sent[1]), "so that it is not asked again"
    assert {each["reason"] for row in Draft.objects.all() for each in row.refused} == {"other_option"}


def test_questions_are_asked_again_within_the_budget_and_a_share_of_requests(now: datetime) -> None:
    run, sent = work(
        ask(passages(now), now, number=3, budget_calls=2), lambda _body: document('{"questions": []}'), now
    )
    assert (run.ending, len(sent)) == ("budget", 2)
    run, sent = work(ask(passages(now), now, number=3), lambda _body: document('{"questions": []}'), now)
    assert (run.ending, len(sent)) == ("short", 3)


@pytest.mark.parametrize("usage", [{"usage": None}, {"usage": {}}])
def test_tokens_are_estimated_where_the_endpoint_reports_none(now: datetime, usage: dict[str, Any]) -> None:
    study = passages(now)
    study.owner = researcher("rosa")
    study.save()
    run, sent = work(
        ask_texts(study, now, number=20, budget_tokens=1500), lambda body: document(answer(message(body)), **usage), now
    )
    assert run.ending == "budget"
    assert len(sent) < 20
    assert run.tokens >= sum(len(message(body)) for body in sent) // 4
    page = logged_in(study.owner)
    assert "doesn’t report the tokens" in text(page.get(reverse("drafting:run", args=[study.slug, run.pk])))
    table = text(page.get(reverse("drafting:download", args=[study.slug, run.pk])))
    assert {row["tokens_estimated"] for row in csv.DictReader(io.StringIO(table))} == {"yes"}


def test_reported_tokens_are_not_called_estimated(now: datetime) -> None:
    work(ask_texts(make_study(now=now, launch=False), now), lambda body: document(answer(message(body))), now)
    assert set(Draft.objects.values_list("is_estimated", "tokens_in")) == {(False, 30)}


def test_a_run_says_how_many_questions_it_got(now: datetime) -> None:
    study = passages(now)
    study.owner = researcher("rosa")
    study.save()

    def reply(body: dict[str, Any]) -> httpx.Response:
        made = json.loads(answer(message(body)))["questions"]
        return document(json.dumps({"questions": [] if "exist already" in message(body) else made[:1]}))

    run, _sent = work(ask(study, now, number=4, tries=0), reply, now)
    page = logged_in(study.owner)
    shown = text(page.get(reverse("drafting:run", args=[study.slug, run.pk])))
    assert "1 of 4" in shown
    assert "fewer usable questions than asked for" in shown
    assert "1 / 4</td>" in text(page.get(reverse("drafting:home", args=[study.slug])))


@pytest.fixture
def second(settings: Any) -> Iterator[tuple[StandIn, StandIn]]:
    """Serve two endpoints; the second one answers without the passage."""
    servers = StandIn(key="sk-1"), StandIn(key="sk-2")
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    settings.DRAFT_URL, settings.DRAFT_KEY = servers[0].url, "sk-1"
    settings.DRAFT_SECOND_URL, settings.DRAFT_SECOND_KEY = servers[1].url, "sk-2"
    settings.DRAFT_SECOND_MODEL, settings.DRAFT_SECOND_STEPS = "reasoner", ["blind"]
    yield servers
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_second_endpoint_carries_out_its_steps(second: tuple[StandIn, StandIn], now: datetime) -> None:
    run = ask(passages(now), now, number=2, tries=2)
    kinds.work(pk=run.pk, clock=lambda: now, lasts=None)
    assert set(Draft.objects.values_list("step", "model")) == {("questions", "alias"), ("blind", "reasoner")}
    assert [is_blind(body) for body in second[0].requests] == [False]
    assert [is_blind(body) for body in second[1].requests] == [True] * 4


@pytest.mark.parametrize(
    ("first", "other", "is_sent"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_the_mark_of_a_private_endpoint_is_its_own(
    second: tuple[StandIn, StandIn], now: datetime, settings: Any, first: bool, other: bool, is_sent: bool
) -> None:
    study = passages(now)
    settings.DRAFT_PRIVATE, settings.DRAFT_SECOND_PRIVATE = first, other
    Clip.objects.filter(study=study).update(box="black")
    if not is_sent:
        with pytest.raises(Withheld):
            ask(study, now, number=2, tries=1)
        Clip.objects.filter(study=study).update(box="")
    run = ask(study, now, number=2, tries=1)
    # What was allowed when the run was asked for is checked again at each step.
    Clip.objects.filter(study=study).update(box="black")
    kinds.work(pk=run.pk, clock=lambda: now, lasts=None)
    run.refresh_from_db()
    assert bool(second[0].requests) == first
    assert bool(second[1].requests) == (first and other)
    assert bool(run.error) != is_sent


def test_a_second_address_gets_neither_the_key_nor_the_mark_of_the_first(settings: Any) -> None:
    settings.DRAFT_PRIVATE, settings.DRAFT_SECOND_STEPS = True, ["blind"]
    settings.DRAFT_SECOND_URL, settings.DRAFT_SECOND_KEY, settings.DRAFT_SECOND_PRIVATE = "", "", False
    assert targets.target("blind") == targets.target("questions")
    settings.DRAFT_SECOND_URL = "https://other.example.org/v1"
    assert targets.target("blind") == targets.Target("https://other.example.org/v1", "", "alias", False)
    shown = "\n".join(map(str, targets.examine()))
    assert "alias at llm.example.org (private) for the steps generate, colloquial, questions, golden" in shown
    assert "alias at other.example.org (not private" in shown
    assert "sk-1" not in shown + repr(targets.target("questions"))


CHINESE = "那天傍晚我们沿着河堤慢慢走，谁也没有提起三年前那封始终没有寄出去的信。"


@pytest.mark.parametrize(
    ("secret", "quoted"),
    [
        (PASSAGE, PASSAGE[: len(PASSAGE) // 2]),
        (PASSAGE, "about the doctor RUTH OKAFOR – was named to lead the"),
        (CHINESE, "写一写谁也没有提起三年前那封信"),
        (CHINESE, CHINESE[len(CHINESE) // 2 :]),
        ("A short secret about umbrellas.", "short secret about umbrellas"),
    ],
)
@pytest.mark.parametrize("where", ["topics", "prompt"])
def test_a_part_of_a_black_box_text_is_not_sent_in_what_people_write(
    now: datetime, secret: str, quoted: str, where: str
) -> None:
    study = make_study(now=now, launch=False)
    corpus.add(study=study, name="s1", values={"body": secret, "box": "black"}, author=None, now=now)
    if where == "prompt":
        body = f"Write {{number}} texts. {quoted} {{topics}}"
        prompts.save(study=study, step="generate", kind="polyphones", language="en", body=body, user=None, now=now)
    run = ask_texts(study, now, topics=quoted if where == "topics" else "")
    run, sent = work(run, lambda body: document(answer(message(body))), now)
    assert "black-box text" in run.error
    assert sent == []


@pytest.mark.parametrize(
    "topics", ["the governor of a small town, what he has to do", "傍晚沿着河堤慢慢走", "三年前的信"]
)
def test_ordinary_words_that_a_black_box_text_has_too_are_sent(now: datetime, topics: str) -> None:
    study = make_study(now=now, launch=False)
    for name, body in (("s1", PASSAGE), ("s2", CHINESE)):
        corpus.add(study=study, name=name, values={"body": body, "box": "black"}, author=None, now=now)
    run, sent = work(ask_texts(study, now, topics=topics), lambda body: document(answer(message(body))), now)
    assert run.error == ""
    assert topics in message(sent[0])
