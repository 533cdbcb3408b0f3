"""Erasure finds tables by their relations: whatever hangs on a session is deleted, or emptied as it is declared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from django.apps import apps
from django.db import connection, models

from core.database import references
from raters.models import Rater, Session
from raters.privacy import requests
from raters.privacy.erasing import carry_out
from raters.privacy.kept_tables import KEPT, blank_values
from tests.world import Person, make_study

WORDS = (models.TextField, models.CharField, models.JSONField)


def keyed_to(target: type[models.Model]) -> set[type[models.Model]]:
    """Return the tables with a key to this one, found from their own side."""
    every = apps.get_models(include_auto_created=True)
    keys = ((model, field) for model in every for field in model._meta.concrete_fields)
    return {model for model, field in keys if field.is_relation and field.related_model is target}


def hanging() -> set[type[models.Model]]:
    """Return every table that hangs on a rater, by however many others."""
    found: set[type[models.Model]] = set()
    waiting: list[type[models.Model]] = [Rater]
    while waiting:
        new = keyed_to(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def test_every_table_that_hangs_on_a_rater_is_reached() -> None:
    reached: set[type[models.Model]] = {Rater}
    waiting: list[type[models.Model]] = [Rater]
    while waiting:
        children = {child for child, _name in references.referencing_tables(waiting.pop())} - reached
        reached |= children
        waiting += children
    assert reached == hanging() | {Rater}
    assert set(KEPT) <= reached


@pytest.mark.parametrize("model", KEPT, ids=lambda model: model.__name__)
def test_a_column_of_words_in_a_row_that_stays_is_emptied_or_declared_harmless(model: type[models.Model]) -> None:
    """A new column of text on a kept table fails here until somebody says what an erasure does with it."""
    fields = [field for field in model._meta.concrete_fields if isinstance(field, WORDS) and not field.choices]
    emptied_or_not = set(blank_values(model, person=True)) | set(KEPT[model].harmless)
    of_jobs = {"state"}
    assert {field.name for field in fields} - of_jobs <= emptied_or_not
    assert emptied_or_not <= {field.name for field in model._meta.concrete_fields}


@pytest.fixture
def scribbles() -> Iterator[type[models.Model]]:
    """A table that is made after everything else, of which erasing knows nothing."""

    class Scribble(models.Model):
        session = models.ForeignKey(Session, models.PROTECT, related_name="+")
        words = models.TextField()

        class Meta:
            app_label = "raters"

        def __str__(self) -> str:
            return self.words

    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE raters_scribble (id {'serial' if connection.vendor == 'postgresql' else 'integer'} "
            "PRIMARY KEY, session_id bigint NOT NULL REFERENCES raters_session (id) DEFERRABLE INITIALLY DEFERRED, "
            "words text NOT NULL)"
        )
    yield Scribble
    del apps.all_models["raters"]["scribble"]
    apps.clear_cache()


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_table_made_yesterday_is_erased_too(scribbles: type[models.Model], now: datetime) -> None:
    study = make_study(now=now)
    gone, stays = Person(study, now), Person(study, now)
    for person in (gone, stays):
        scribbles._base_manager.create(session=person.session, words=f"I am {person.name}")
    erasure = requests.erase_person(rater_id=gone.session.rater_id, now=now, by=None)
    assert carry_out(pk=erasure.pk, clock=lambda: now)
    assert [str(row) for row in scribbles._base_manager.all()] == [f"I am {stays.name}"]
