"""People whom a study leaves out for what they did here before: told so kindly, as they arrive and only then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.errors import Conflict
from raters.models import Rater, Session
from raters.rating.prior_listening import is_left_out
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.definition.settings.recruitment import Recruitment
from studies.models import Clip, Study
from tests import world
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def before(now: datetime) -> Person:
    """Return somebody who has heard one clip of an earlier study."""
    person = Person(world.make_study(now=now, protocol__batches_per_session=1), now, name="p1").start()
    while person.role != "test":
        person.rate()
    person.rate()
    return person


def make(now: datetime, *, unlike: bool = True, **settings: Any) -> Study:
    """Make another study; `unlike`: of sentences and voices that no other has."""
    study = world.make_study(now=now, **{f"recruitment__{name}": value for name, value in settings.items()})
    if unlike:
        for text in study.texts.all():
            text.body = f"{study.slug}: {text.body}"
            text.save()
        Clip.objects.filter(study=study).update(voice=f"{study.slug}-voice")
    return study


def arrives(study: Study, now: datetime, name: str = "p1") -> bool:
    """Say whether this person is let in."""
    arrival = RaterArrival(source="prolific", person=name, study="ext2", session=f"{study.slug}-{name}")
    try:
        lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
    except Conflict as conflict:
        if conflict.code != "left_out":
            raise
        return False
    return True


def test_whoever_rated_in_a_named_study_is_left_out_and_others_are_not(before: Person, now: datetime) -> None:
    study = make(now, not_in_studies=[before.study.slug, "no-such-study"])
    assert not arrives(study, now)
    assert arrives(study, now, name="p2")
    assert Session.objects.filter(study=study).count() == 1


def test_whoever_only_looked_at_the_information_of_a_named_study_is_let_in(now: datetime) -> None:
    person = Person(world.make_study(now=now), now, name="p1")
    lifecycle.consent(session_id=person.session.pk, agreed=True, now=now)
    assert arrives(make(now, not_in_studies=[person.study.slug]), now)


def same_text(person: Person, study: Study) -> None:
    heard = person.session.trials.filter(answered_at__isnull=False, text__isnull=False).latest("pk").text
    text = study.texts.get(name="text-0")
    assert heard
    text.body = heard.body
    text.save()


def same_voice(person: Person, study: Study) -> None:
    clip = person.session.trials.filter(answered_at__isnull=False, text__isnull=False).latest("pk").clips.get().clip
    Clip.objects.filter(study=study, system__name=clip.system.name).update(voice=clip.voice)


def same_clip(person: Person, study: Study) -> None:
    clip = person.session.trials.filter(answered_at__isnull=False).latest("pk").clips.get().clip
    other = Clip.objects.filter(study=study).earliest("pk")
    other.sha256 = clip.sha256
    other.save()


@pytest.mark.parametrize(
    ("setting", "share"),
    [("same_text_days", same_text), ("same_voice_days", same_voice), ("same_clip_days", same_clip)],
)
def test_whoever_heard_it_within_so_many_days_is_left_out(
    before: Person, now: datetime, setting: str, share: Callable[[Person, Study], None]
) -> None:
    days: dict[str, Any] = {setting: 30}
    study = make(now, **days)
    assert arrives(make(now, **days), now), "nothing in common"
    share(before, study)
    assert not arrives(study, now)
    assert not arrives(study, now + timedelta(days=29))
    assert arrives(study, now, name="p2")
    assert arrives(study, now + timedelta(days=31))


def test_without_such_a_setting_it_does_not_matter_what_somebody_heard(before: Person, now: datetime) -> None:
    assert arrives(make(now, unlike=False), now)


def test_the_same_voice_of_another_system_is_another_voice(before: Person, now: datetime) -> None:
    study = make(now, same_voice_days=30)
    same_voice(before, study)
    for system in study.systems.all():
        system.name = f"other-{system.name}"
        system.save()
    assert arrives(study, now)


def test_what_was_served_and_never_played_was_not_heard(now: datetime) -> None:
    person = Person(world.make_study(now=now), now, name="p1").start()
    study = make(now, unlike=False, same_text_days=30, same_voice_days=30, same_clip_days=30)
    assert arrives(study, now)
    person.fetch()
    person.play()
    assert not arrives(make(now, unlike=False, same_voice_days=30), now)


def test_whoever_is_in_goes_on_whatever_they_hear_elsewhere_meanwhile(now: datetime) -> None:
    study = make(now, unlike=False, same_text_days=30, same_voice_days=30)
    assert arrives(study, now)
    elsewhere = Person(world.make_study(now=now), now, name="p1").start()
    elsewhere.rate_batch()
    assert arrives(study, now)
    later = RaterArrival(source="prolific", person="p1", study="ext2", session="another-place")
    again = lifecycle.arrive(study_id=study.pk, arrival=later, now=now)
    assert again.study_id == study.pk
    assert not arrives(make(now, unlike=False, same_voice_days=30), now)


def test_a_simulated_or_previewing_visitor_is_not_asked_about_the_past(before: Person, now: datetime) -> None:
    study = make(now, not_in_studies=[before.study.slug])
    arrival = RaterArrival(source="prolific", person="p1", study="ext2", session="looks", preview=True)
    assert lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now).preview


def test_the_page_is_kind_keeps_nothing_and_does_not_tell_why(client: Client, before: Person, now: datetime) -> None:
    study = make(now, not_in_studies=[before.study.slug])
    page = client.get(f"/s/{study.slug}/", {"PROLIFIC_PID": "p1", "STUDY_ID": "e", "SESSION_ID": "s9"})
    assert page.status_code == 409
    assert "This study is looking for other listeners" in page.text
    assert "This does not count against you" in page.text
    assert before.study.slug not in page.text
    assert before.study.title not in page.text
    assert not client.cookies
    assert not Session.objects.filter(study=study).exists()


def test_looking_into_the_past_takes_a_handful_of_queries_none_of_which_reads_all_trials(
    before: Person, now: datetime
) -> None:
    study = make(now)
    wide = Recruitment(not_in_studies=("a", "b"), same_clip_days=9, same_text_days=9, same_voice_days=9)
    rater = Rater.objects.get().pk
    with CaptureQueriesContext(connection) as queries:
        assert not is_left_out(rater_id=rater, study_id=study.pk, recruitment=wide, now=now)
    assert len(queries) == 5
    if connection.vendor == "sqlite":
        heard = next(query["sql"] for query in queries if "raters_trialclip" in query["sql"])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {heard}")
            assert not [row for row in cursor.fetchall() if str(row[-1]).startswith("SCAN")]
