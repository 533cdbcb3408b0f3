"""Words of the black box on every page, in every endpoint and in every export: for whom, and for nobody else."""

from __future__ import annotations

import html
import zipfile
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse

from analysis.exports.models import Export, Format, Profile
from core import jobs
from core.files import storage
from studies.clips import black_box
from tests.roles.black_box import ASKED, COMBINATIONS, DRAFT, TEXT, WHITE, BlackBox, make
from tests.roles.packed import unpacked
from tests.roles.table import POSTS, RATERS
from tests.roles.world import parts_of, routes, rows_of

CHANGING = ("root", "owner", "editor", "blinded")
OTHERS = ("viewer", "payer", "expert", "stranger", "rater", "anonymous")
MARKS = (TEXT, ASKED, DRAFT)
# Raters read questions; experts read both beside what raters wrote about a clip.
READS = {("rater", ASKED): RATERS, ("expert", ASKED): "experts:", ("expert", TEXT): "experts:"}
# Who reads a mark, and at which address.
Sight = tuple[str, str, str]
# What pages show only when asked.
QUERIES: dict[str, list[dict[str, str]]] = {
    "studies:texts": [{"search": "umbrella"}, {"open": "1"}, {"open": "2"}, {"open": "3"}],
    "studies:texts_list": [{"list": kind} for kind in ("texts", "speaking", "manifest")],
    "studies:questions_list": [{"list": kind} for kind in ("questions", "golden")],
    "drafting:prompt": [{"step": "colloquial", "language": "en"}],
    "analysis:export_detail": [{"part": "1"}],
}
# Addresses that answer nobody here with a page: they ask for a link, a key or a state that nobody has.
UNANSWERED = {
    # `tests.raters.test_leaks` goes through raters' sessions, whose pages hold no words of a text.
    *(f"raters:{name}" for name in ("arrive", "check_sound", "current")),
    "members:invitation",
    "experts:invitation",
    "experts:audio",
    "api:upload",
    "api:analysis_results",
    "api:analysis_document",
    "api:simulation",
    "api:nowhere",
    "metrics",
    # Only where `EARSHOT_DEBUG` is on.
    "styleguide",
}


@pytest.fixture
def world(db: None, files: Path, now: datetime, settings: Any) -> BlackBox:
    settings.API_RATE = 0
    return make(now)


def words_of(response: Any) -> str:
    """Return everything that an answer says, with what is packed in it."""
    content = response.getvalue() if response.streaming else response.content
    if content[:2] == b"PK":
        return unpacked(content)
    return html.unescape(content.decode(errors="replace")) + str(response.headers)


def addresses(world: BlackBox, name: str, route: str) -> Iterator[str]:
    """Yield every address of this name: about each row, and with each query."""
    if name.startswith(RATERS):
        trial = world.rater.current.trial
        values = {"slug": world.shared.study.slug, "key": trial.clips[0].key, "token": trial.token}
        yield reverse(name, kwargs={part: values[part] for part in parts_of(route)})
        return
    for row in list(rows_of(name)) or [None]:
        yield world.shared.address(name, route, row)


def asked(world: BlackBox, client: Any, method: str, address: str, query: dict[str, str]) -> Any:
    """Send a request, and take back whatever it changed."""
    client.raise_request_exception = False
    body: dict[str, Any] = {"data": query}
    if method == "post":
        body = {"content_type": "application/json", "data": "{}"} if "/api/" in address else {}
    point = transaction.savepoint()
    response = getattr(client, method)(address, **body)
    words = words_of(response)
    transaction.savepoint_rollback(point)
    return response.status_code, words


def visit(
    world: BlackBox, who: Collection[str], among: Collection[str] = ()
) -> tuple[set[str], set[tuple[str, str, str]]]:
    """Visit every address, or some, as these people; return which were answered, and (who, name, mark) of words."""
    answered, seen = set(), set()
    clients = world.clients
    posts = set().union(*POSTS.values())
    for name, route in routes():
        if among and name not in among:
            continue
        for address in addresses(world, name, route):
            for person in who:
                methods = [("get", query) for query in ({}, *QUERIES.get(name, []))]
                methods += [("post", {})] if name in posts and person not in CHANGING else []
                for method, query in methods:
                    status, words = asked(world, clients[person], method, address, query)
                    # An address that only takes what is sent, which those who may change nothing send below.
                    if status < 400 or status == 405:
                        answered.add(name)
                    seen |= {(person, name, mark) for mark in (*MARKS, WHITE) if mark in words}
    return answered, seen


def is_meant(person: str, name: str, mark: str) -> bool:
    """Return whether this person is to read these words here."""
    return name.startswith(READS.get((person, mark), "nowhere"))


def test_no_page_or_endpoint_has_words_of_the_black_box_for_who_may_not_change_the_study(world: BlackBox) -> None:
    answered, seen = visit(world, ("owner", *OTHERS))
    leaks = {each for each in seen if each[0] in OTHERS and each[2] in MARKS and not is_meant(*each)}
    assert leaks == set()
    by_mark = {mark: {name for person, name, each in seen if (person, each) == ("owner", mark)} for mark in MARKS}
    assert by_mark[TEXT] >= {"studies:texts", "studies:texts_list", "api:texts", "api:clips"}
    assert by_mark[ASKED] >= {"studies:questions", "api:questions", "admin:studies_question_change"}
    assert by_mark[DRAFT] >= {"drafting:run", "drafting:inspect", "drafting:decisions", "drafting:download"}
    white = {name for person, name, mark in seen if (person, mark) == ("viewer", WHITE)}
    assert white >= {"studies:texts", "api:texts", "api:clips", "studies:questions"}
    rest = {name for name, _route in routes()} - answered
    assert rest - visit(world, ["root"], rest)[0] == UNANSWERED


def test_a_leak_on_any_page_endpoint_or_file_is_noticed_and_there_is_one_rule_for_all(
    world: BlackBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(black_box, "gets_words", lambda study, user: True)
    names = {
        "studies:texts",
        "studies:texts_list",
        "api:texts",
        "api:clips",
        "api:clip",
        "studies:questions",
        "studies:questions_list",
        "admin:studies_question_changelist",
        "api:questions",
        "analysis:study",
        "api:results",
        "drafting:run",
        "drafting:inspect",
        "drafting:decisions",
        "drafting:download",
        "drafting:prompt",
    }
    world.export("viewer", *COMBINATIONS[0])
    downloads = {"api:download", "analysis:export_download"}
    _answered, seen = visit(world, ["viewer"], names | downloads)
    assert {name for _person, name, mark in seen if mark in MARKS} == names | downloads


def test_no_export_has_words_of_the_black_box_for_who_may_not_change_the_study(world: BlackBox) -> None:
    rows: dict[int, tuple[str, Any]] = {}
    for who in ("owner", "editor", "viewer"):
        for combination in COMBINATIONS:
            row = world.export(who, *combination)
            assert row.state == jobs.DONE, (combination, row.error)
            rows[row.pk] = (who, combination)
    clients, slug = world.clients, world.shared.study.slug
    leaks, full, refused = set(), set(), set()
    for pk, (maker, combination) in rows.items():
        *_how, profile = combination
        for name in ("api:download", "analysis:export_download"):
            for person in ("owner", "editor", *OTHERS):
                status, words = asked(world, clients[person], "get", reverse(name, args=[slug, pk]), {})
                has_words = any(mark in words for mark in MARKS)
                gets = person in CHANGING and profile == Profile.ANALYSIS
                leaks |= {(person, maker, combination)} if has_words and not gets else set()
                full |= {(person, maker, combination)} if has_words and gets else set()
                refused |= {(maker, profile)} if status == 403 and person == "viewer" else set()
    assert leaks == set()
    with_words = {*((format_, "own") for format_ in Format), ("csv", "audiofolder")}
    assert {(maker, *combination[:2]) for _person, maker, combination in full} == {
        (maker, *how) for maker in ("owner", "editor") for how in with_words
    }
    assert {("owner", Profile.ANALYSIS), ("editor", Profile.ANALYSIS)} <= refused
    assert ("viewer", Profile.ANALYSIS) not in refused
    _sound_is_as_on_pages(world)


def _sound_is_as_on_pages(world: BlackBox) -> None:
    """A viewer hears black-box clips on pages, and has them in a download for analysis; nobody publishes them."""
    clip = world.shared.study.clips.filter(box="black").first()
    assert clip is not None
    assert world.clients["viewer"].get(reverse("admin:studies_clip_audio", args=[clip.pk])).status_code == 200
    sounds = {}
    for row in Export.objects.filter(layout="audiofolder", created_by__username="viewer"):
        with zipfile.ZipFile(storage.open_file(row.file)) as archive:
            sounds[row.profile] = [name for name in archive.namelist() if name.endswith(".wav")]
    assert len(sounds["analysis"]) > len(sounds["open"]) > 0
