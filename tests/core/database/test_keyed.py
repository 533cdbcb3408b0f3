"""Rows of many keys are found, whatever lies between them."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database import keyed
from core.database.keyed import ByKey
from raters.models import Rater


@pytest.mark.django_db
@pytest.mark.parametrize("every", [1, 2, 7])
def test_rows_of_keys_are_found_close_together_or_far_apart(
    now: datetime, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyed, "AT_ONCE", 5)
    keys = sorted(rater.pk for rater in Rater.objects.bulk_create(Rater(created_at=now) for _ in range(60)))
    wanted = keys[::every]
    with CaptureQueriesContext(connection) as queries:
        found = [key for rows in ByKey(Rater.objects.values_list("pk")).of(wanted) for (key,) in rows]
    assert set(found) >= set(wanted)
    # Those between are read, too, only where these are few.
    assert len(found) < keyed.SPREAD * len(wanted)
    assert len(queries) == -(-len(wanted) // 5)


@pytest.mark.django_db
def test_nothing_is_read_for_no_key() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert list(ByKey(Rater.objects.values_list("pk")).of([])) == []
    assert not queries.captured_queries
