"""A GET changes nothing: whoever follows a link, or a browser that looks ahead, decides nothing by it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from core import clock
from raters.rating import batches
from tests.world import Person, carry, make_study

pytestmark = pytest.mark.django_db

WRITES = re.compile(r'^\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM|REPLACE INTO)\s+"?(\w+)"?', re.I)
FILLED = re.compile(r"<(?:\w+:)?(\w+)>")
# Whoever asks is counted, so that nobody asks without end (`core.limits`).
COUNTS = {"core_count"}
RATING = {"raters_session", "raters_batch", "raters_trial", "raters_trialclip", "studies_pool"}
# All that a GET may write: the idempotent arrival, first-seen stamps with the place where a rater is, and figures or
# queues that are made anew from what is stored when somebody looks at them.
MAY = {
    "raters:arrive": {"raters_session", "raters_rater", "raters_identity"},
    "raters:trial": RATING,
    "raters:current": RATING,
    "raters:audio": {"raters_trialclip"},
    # A new database takes the keys of the first process that compares them.
    # And a row that stands for nothing proves that the database takes one.
    "status": {"django_session", "core_keyfingerprint"},
    # An expert holds what is on the page before them for a while, as a rater holds a place.
    **{key: {"raters_reviewitem", "studies_expertclip"} for key in ("experts:review", "experts:review_current")},
    **{key: {"raters_codingitem", "studies_expertclip"} for key in ("experts:coding", "experts:coding_current")},
    # Of a draft: that its settings were seen, once.
    "studies:design": {"studies_study"},
    **{key: {"studies_summary"} for key in ("api:results", "analysis:study", "analysis:figures")},
}


def addresses(values: dict[str, str], patterns: Any = None, before: str = "/") -> Iterator[str]:
    """Yield every address of the URLconf, its parts filled in."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = f"{before}{str(pattern.pattern).lstrip('^').rstrip('$')}"
        if isinstance(pattern, URLResolver):
            yield from addresses(values, pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and "(?P" not in route:
            yield FILLED.sub(lambda found: values.get(found[1], "1"), route)


def written(client: Client, address: str, **query: str) -> set[str]:
    """Open a page to its end, and return the tables that this wrote to."""
    with CaptureQueriesContext(connection) as asked:
        response: Any = client.get(address, query)
        if response.streaming:
            response.getvalue()
    return {found[1] for each in asked.captured_queries if (found := WRITES.match(each["sql"]))}


@pytest.mark.parametrize("who", ["rater", "staff", "stranger"])
def test_no_page_writes_anything_when_it_is_opened(who: str, files: Path, admin_client: Client) -> None:
    study = make_study(now=clock.now(), texts=24, review__mode="all", coding__mode="all")
    person = Person(study, clock.now()).start()
    # There is something for experts to see, and for figures.
    person.rate_batch()
    for batch in person.filled:
        batches.validate(pk=batch, now=person.now)
    client = {"rater": carry(person), "staff": admin_client, "stranger": Client()}[who]
    client.raise_request_exception = False
    trial = person.current.trial
    values = {
        **{name: str(study.pk) for name in ("pk", "study", "object_id")},
        "slug": study.slug,
        "key": trial.clips[0].key,
        "token": trial.token,
        "path_or_fragment": "x",
    }
    found: dict[str, set[str]] = defaultdict(set)
    visited = set()
    for address in addresses(values):
        name = resolve(address).view_name
        found[name] |= written(client, address)
        visited.add(name)
    assert len(visited) > 80
    assert {name: tables for name, tables in found.items() if tables - MAY.get(name, set()) - COUNTS} == {}


def test_what_a_get_may_write_it_writes_once(files: Path) -> None:
    study = make_study(now=clock.now(), texts=24)
    ids = {"PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s1"}
    client = Client()
    assert written(client, f"/s/{study.slug}/", **ids) == MAY["raters:arrive"]
    assert written(client, f"/s/{study.slug}/", **ids) == set()
    person = Person(study, clock.now()).start()
    client, sound = carry(person), f"/rate/{study.slug}/audio/{person.current.trial.clips[0].key}"
    current = f"/rate/{study.slug}/api/current"
    assert written(client, sound) == {"raters_trialclip"}
    assert written(client, current, tab=person.current.tab) == set()
    # The newest tab is the one that counts: to open the page again says which it is, and nothing else.
    assert written(client, f"/rate/{study.slug}/trial/") == {"raters_session"}
