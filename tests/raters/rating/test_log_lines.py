"""What is logged while a rater works names their session and trial by our own numbers, and nothing that is theirs."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from core import clock
from core.operations import logs
from core.web import streaming
from raters.people import queries as people_queries
from raters.rating import listening, trials
from tests.world import REASON, Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(files: Path) -> Person:
    return Person(make_study(now=clock.now(), texts=24), clock.now(), name="5f3a9c-platform-id").start()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Log a line from deep inside each of the pages, and return what they say."""
    said: list[dict[str, Any]] = []

    def telling(real: Any) -> Any:
        def told(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            record = logging.LogRecord("raters", logging.INFO, __file__, 1, "at work", None, None)
            said.append(json.loads(logs.JsonFormatter().format(record)))
            return result

        return told

    named = ((people_queries, "definition"), (listening, "start_play"), (trials, "submit"), (trials, "resume"))
    for module, name in (*named, (streaming, "send")):
        monkeypatch.setattr(module, name, telling(getattr(module, name)))
    return said


def test_each_line_about_a_rater_names_session_and_where_known_trial(
    person: Person, lines: list[dict[str, Any]]
) -> None:
    browser, slug, session = carry(person), person.study.slug, person.session.pk
    trial = person.current.trial
    browser.get(f"/rate/{slug}/trial/")
    person.load()
    b"".join(browser.get(audio_url(person)))
    tab = person.current.tab
    browser.get(f"/rate/{slug}/api/current", {"tab": tab})
    browser.post(f"/rate/{slug}/api/played/{trial.clips[0].key}", {"tab": tab}, content_type="application/json")
    letter = {"tab": tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    browser.post(f"/rate/{slug}/api/answers/{trial.token}", letter, content_type="application/json")
    assert len(lines) >= 4
    assert {line["session"] for line in lines} == {session}
    assert {line["trial"] for line in lines if "trial" in line} == {trial.trial}
    assert len({line["request"] for line in lines}) >= 4
    written = json.dumps(lines)
    for private in ("5f3a9c", REASON, trial.token, trial.clips[0].key, tab):
        assert private not in written


def test_the_next_request_forgets_whom_the_last_one_was_about(person: Person, lines: list[dict[str, Any]]) -> None:
    carry(person).get(f"/rate/{person.study.slug}/trial/")
    assert logs.context().get("session") == person.session.pk
    carry(person).get("/livez")
    assert "session" not in logs.context()
