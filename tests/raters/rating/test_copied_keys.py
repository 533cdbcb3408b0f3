"""Keys that a trial and its ratings copy: the database itself keeps the rows that they name (ADR 42)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F, Q

from raters.models import Rater, Rating, Session, Trial
from studies.models import Clip, Study, Text
from tests.world import Person, make_study


@pytest.fixture
def rated(now: datetime) -> Trial:
    """Return an answered trial that took a place."""
    person = Person(make_study(now=now, texts=40), now).start()
    person.rate_batch()
    return Trial.objects.filter(pool__isnull=False, answered_at__isnull=False).latest("answered_at")


NAMED: dict[type[models.Model], Callable[[Trial], int]] = {
    Rater: lambda trial: trial.rater_id,
    Session: lambda trial: trial.session_id,
    Study: lambda trial: trial.ratings.get().study_id,
    Clip: lambda trial: trial.ratings.get().clip_id or 0,
    Text: lambda trial: trial.text_id or 0,
}


def delete_by_sql(rows: models.QuerySet[models.Model]) -> None:
    """Delete rows as their operator might, past all that the ORM looks at."""
    rows._raw_delete(using="default")
    connection.check_constraints()


@pytest.mark.django_db
@pytest.mark.parametrize("model", NAMED, ids=lambda model: model.__name__)
def test_the_database_keeps_the_row_of_a_copied_key_even_from_its_operator(
    rated: Trial, model: type[models.Model]
) -> None:
    named = model._base_manager.filter(pk=NAMED[model](rated))
    assert named.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        delete_by_sql(named)


@pytest.mark.django_db
def test_copied_keys_say_what_the_rows_say_that_they_come_from(rated: Trial) -> None:
    right = Q(session=F("batch__session"), rater=F("batch__session__rater"))
    assert Trial.objects.filter(right).count() == Trial.objects.count() == 20
    assert Trial.objects.filter(pool__isnull=False, text=F("pool__text")).count() == 14
    assert Trial.objects.filter(pool=None, text=None).count() == 6
    copied = Q(study=F("trial__session__study"), clip=F("trial__clips__clip"))
    assert Rating.objects.filter(copied).count() == Rating.objects.count() == 10
