"""Texts are written in versions, accepted by one person and cross-checked by another."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from accounts.models import User
from core.errors import Conflict, Invalid
from studies.corpus import coverage, queries, rules, services
from studies.models import Clip, CorpusText, Study, Text
from tests.studies.imports.helpers import draft
from tests.world import make_study

pytestmark = pytest.mark.django_db


def fresh(text: CorpusText) -> CorpusText:
    return CorpusText.objects.get(pk=text.pk)


def test_each_save_of_other_words_is_a_version_and_one_can_be_restored(
    text: CorpusText, rita: User, ben: User, now: datetime
) -> None:
    services.edit(text=text, values={"body": "It costs five dollars."}, author=ben, now=now)
    services.edit(text=text, values={"source": "own"}, author=ben, now=now)
    assert fresh(text).version == 2
    services.restore(text=text, number=1, author=rita, now=now)
    assert fresh(text).body == "It costs $5."
    bodies = list(text.versions.values_list("number", "body", "author__username"))
    assert bodies == [(1, "It costs $5.", "rita"), (2, "It costs five dollars.", "ben"), (3, "It costs $5.", "rita")]


def test_only_another_person_may_cross_check(text: CorpusText, rita: User, ben: User, now: datetime) -> None:
    with pytest.raises(Conflict):
        services.cross_check(text=text, user=ben, now=now)
    services.accept(text=text, user=rita, now=now)
    with pytest.raises(Conflict) as refused:
        services.cross_check(text=text, user=rita, now=now)
    assert refused.value.code == "same_person"
    services.cross_check(text=text, user=ben, now=now)
    assert (fresh(text).state, fresh(text).accepted_by, fresh(text).checked_by) == ("checked", rita, ben)


def test_other_words_or_style_make_a_draft_of_an_accepted_text_and_other_facts_do_not(
    text: CorpusText, rita: User, now: datetime
) -> None:
    services.accept(text=text, user=rita, now=now)
    services.edit(text=text, values={"dimension": "polyphones"}, author=rita, now=now)
    assert fresh(text).state == "accepted"
    services.edit(text=text, values={"style": "tired"}, author=rita, now=now)
    assert (fresh(text).state, fresh(text).accepted_by) == ("draft", None)


def test_a_review_of_words_that_changed_meanwhile_is_refused(text: CorpusText, rita: User, now: datetime) -> None:
    services.edit(text=text, values={"body": "Other."}, author=rita, now=now)
    with pytest.raises(Conflict):
        services.accept(text=text, user=rita, now=now, seen=1)


def test_a_review_can_be_undone_until_the_text_changes(
    text: CorpusText, study: Study, rita: User, ben: User, now: datetime
) -> None:
    services.accept(text=text, user=rita, now=now)
    change = services.reject(text=text, user=ben, reason="dull", now=now + timedelta(seconds=1))
    services.undo(study=study, change=change, now=now + timedelta(seconds=2))
    assert (fresh(text).state, fresh(text).accepted_by, fresh(text).reject_reason) == ("accepted", rita, "")
    with pytest.raises(Conflict):
        services.undo(study=study, change=change, now=now)


def test_lists_hold_cross_checked_texts_or_accepted_ones_where_one_person_works(
    text: CorpusText, study: Study, rita: User, now: datetime
) -> None:
    services.accept(text=text, user=rita, now=now)
    assert list(queries.usable(study)) == []
    services.save_settings(study=study, dimensions=[], cross_check=False)
    assert [each.name for each in queries.usable(study)] == ["t1"]
    services.reject(text=text, user=rita, reason="", now=now)
    assert list(queries.usable(study)) == []


def test_names_are_unique_and_words_are_needed(study: Study, text: CorpusText, rita: User, now: datetime) -> None:
    for name, body in (("t1", "x"), ("", "x"), ("t2", " ")):
        with pytest.raises(Invalid):
            services.add(study=study, name=name, values={"body": body}, author=rita, now=now)


def test_texts_are_copied_as_drafts_that_say_where_they_come_from(
    text: CorpusText, study: Study, rita: User, now: datetime
) -> None:
    services.add(study=study, name="t2", values={"body": "Secret.", "box": "black"}, author=rita, now=now)
    dull = services.add(study=study, name="t3", values={"body": "Dull."}, author=rita, now=now)
    services.reject(text=dull, user=rita, reason="", now=now)
    services.accept(text=text, user=rita, now=now)
    other = Study.objects.create(slug="two", title="Two", draft=draft())
    assert services.copy(study=other, source=study, author=rita, now=now, withheld={"t2"}) == (1, 0)
    assert services.copy(study=other, source=study, author=rita, now=now, withheld=()) == (1, 1)
    copied = CorpusText.objects.get(study=other, name="t1")
    assert (copied.state, copied.body) == ("draft", "It costs $5.")
    assert copied.versions.get().note == "Copied from “One” (version 1)"


def test_accepting_a_text_tells_the_clips_of_a_draft_but_not_of_a_launched_study(rita: User, now: datetime) -> None:
    for launch, expected in ((False, ("One.", "tired")), (True, ("", None))):
        study = make_study(now=now, launch=launch)
        spoken = Text.objects.filter(pk=Clip.objects.filter(study=study, role="test").first().text_id)  # type: ignore[union-attr]
        spoken.update(body="")
        values = {"body": "One.", "style": "tired"}
        text = services.add(study=study, name=spoken.get().name, values=values, author=rita, now=now)
        assert spoken.get().context is None
        services.accept(text=text, user=rita, now=now)
        assert (spoken.get().body, (spoken.get().context or {}).get("style")) == expected


def test_clips_that_came_before_their_text_was_accepted_get_what_they_lack_of_it(rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False, systems=("alpha", "beta"))
    alpha, beta = Clip.objects.filter(study=study, text__name="text-0").order_by("system__name")
    Clip.objects.filter(pk=beta.pk).update(dimension="their own", language="en")
    values = {"body": "One.", "dimension": "polyphones", "language": "zh-hans", "box": "black"}
    text = services.add(study=study, name="text-0", values=values, author=rita, now=now)
    services.accept(text=text, user=rita, now=now)
    found = {clip.pk: (clip.dimension, clip.language, clip.box) for clip in Clip.objects.filter(study=study)}
    assert found[alpha.pk] == ("polyphones", "zh-hans", "black")
    assert found[beta.pk] == ("their own", "en", "black")
    assert {facts for pk, facts in found.items() if pk not in {alpha.pk, beta.pk}} == {("", "", "")}
    seen = coverage.coverage(study)
    [row] = [row for row in seen.rows if row.name == "polyphones"]
    assert dict(zip(seen.systems, row.clips, strict=True)) == {"alpha": 1, "beta": 0, "broken": 0, "human": 0}


def test_black_box_texts_go_to_private_endpoints_alone() -> None:
    black, white = CorpusText(box="black"), CorpusText(box="white")
    assert rules.may_leave(white, False)
    assert not rules.may_leave(black, False)
    assert rules.may_leave(black, True)
