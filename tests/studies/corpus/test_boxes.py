"""Several texts get a box at once."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from accounts.models import User
from studies.corpus import boxes
from studies.members.models import Member
from studies.models import CorpusText, Study
from tests.researchers import logged_in, url
from tests.studies.corpus.test_pages import add, post
from tests.world import make_study


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


def test_several_texts_get_a_box_at_once_and_the_history_says_so(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    texts = [add(study, f"t{number}", f"Number {number}.", rita, now) for number in range(4)]
    other = make_study(now=now, launch=False)
    foreign = add(other, "t0", "Theirs.", rita, now)

    def black() -> set[str]:
        return set(CorpusText.objects.filter(box="black").values_list("name", flat=True))

    said = post(page, study, "box", box="black", chosen=[texts[0].pk, texts[2].pk, foreign.pk])
    assert "2 texts are black box now." in said
    assert black() == {"t0", "t2"}
    assert not CorpusText.objects.get(pk=foreign.pk).box
    assert LogEntry.objects.get(object_id=study.pk).get_change_message() == "2 texts are black box now."
    assert "Choose at least one text." in post(page, study, "box", box="black")
    assert "Choose white box" in post(page, study, "box", box="grey", chosen=[texts[0].pk])
    assert black() == {"t0", "t2"}


def test_all_texts_that_match_the_filters_get_a_box(page: Client, study: Study, rita: User, now: datetime) -> None:
    for number in range(3):
        add(study, f"t{number}", f"Number {number}.", rita, now, dimension="poetry" if number else "")
    page.post(url("texts", study.slug) + "?dimension=poetry", {"do": "box", "box": "white", "all": "on"})
    assert list(CorpusText.objects.values_list("name", "box")) == [("t0", ""), ("t1", "white"), ("t2", "white")]


def test_a_draft_s_clips_without_a_box_follow_their_accepted_texts(rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    name = study.texts.order_by("pk")[0].name
    spoken = add(study, name, "One.", rita, now)
    boxes.set_box(study=study, texts=[spoken.pk], box="black", now=now)
    assert set(study.clips.filter(text__name=name).values_list("box", flat=True)) == {"black"}
    assert set(study.clips.exclude(text__name=name).values_list("box", flat=True)) == {""}


def test_a_split_draws_the_same_share_of_each_dimension_and_the_same_texts_for_the_same_seed(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    for dimension, number in (("poetry", 4), ("code", 5), ("", 1)):
        for at in range(number):
            add(study, f"{dimension or 'none'}-{at}", f"{dimension} {at}.", rita, now, dimension=dimension, box="white")
    out = add(study, "out", "Rejected.", rita, now, dimension="poetry")
    CorpusText.objects.filter(pk=out.pk).update(state="rejected")

    def black(seed: int, percent: int = 40) -> set[str]:
        return set(CorpusText.objects.filter(pk__in=boxes.drawn_black(study, percent=percent, seed=seed)[0])
                   .values_list("name", flat=True))  # fmt: skip

    said = post(page, study, "split", percent=40, seed=3)
    # 40 % of 4, 5 and 1 texts: 1.6, 2 and 0.4.
    assert "40 % of the texts of each dimension were drawn (seed 3): 4 are black box, 6 white box." in said
    rows = CorpusText.objects.values_list("name", "box")
    drawn = {name for name, box in rows if box == "black"}
    assert [sum(name.startswith(start) for name in drawn) for start in ("poetry", "code", "none")] == [2, 2, 0]
    assert {name for name, box in rows if box == ""} == {"out"}
    assert black(3) == drawn
    assert any(black(seed) != drawn for seed in range(4, 9))
    assert "seed 3" in LogEntry.objects.get(object_id=study.pk).get_change_message()
    add(study, "other-0", "One more.", rita, now, dimension="other")
    assert {name for name in black(3) if not name.startswith("other")} == drawn


@pytest.mark.parametrize(("percent", "seed"), [(0, 1), (100, 1), (50, -1), ("", 1), (50, "x")])
def test_a_split_needs_a_share_and_a_seed(
    page: Client, study: Study, rita: User, now: datetime, percent: object, seed: object
) -> None:
    add(study, "t1", "One.", rita, now)
    response = page.post(url("texts", study.slug), {"do": "split", "percent": percent, "seed": seed})
    assert b"errorlist" in response.content
    assert not CorpusText.objects.get().box


def test_a_viewer_sets_no_box(study: Study, rita: User, ben: User, now: datetime) -> None:
    row = add(study, "t1", "One.", rita, now)
    Member.objects.create(study=study, user=ben, role="viewer", added_at=now)
    for sent in ({"do": "box", "box": "black", "chosen": [row.pk]}, {"do": "split", "percent": 50, "seed": 1}):
        assert logged_in(ben).post(url("texts", study.slug), sent).status_code == 403
    assert not CorpusText.objects.get().box
