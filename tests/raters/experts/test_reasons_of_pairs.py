"""Reasons of comparisons: experts hear the clips under the letters that raters saw, and the label names its clip."""

from __future__ import annotations

from datetime import datetime

import pytest

from raters.experts import review_overview
from raters.experts.reviewing import REVIEW
from raters.models import Answer, Rating, ReviewItem, TrialClip
from tests.analysis.rated import Rated
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import decide

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.mark.parametrize(
    ("reference", "letters", "labels"),
    [
        ("none", "AB", {"preferred": "Preferred", "other": "The other preferred"}),
        ("text", "XAB", {"preferred": "Preferred", "other": "The other preferred"}),
        ("copy", "XAB", {"right": "Right", "wrong": "Wrong"}),
    ],
)
def test_a_reason_is_shown_with_the_clips_as_the_rater_saw_them(
    reference: str, letters: str, labels: dict[str, str], now: datetime
) -> None:
    pairs = {"task__pairs": "baseline", "task__baseline": "alpha"} if reference == "copy" else {}
    options = {
        "task__reference": reference,
        "task__ask_reason": True,
        "review__mode": "all",
        "review__double_share": 0.0,
        **pairs,
    }
    study = Rated(now, kind="compare", options=options).everybody(6).study
    Answer.objects.update(reason="The second one has a pause that is far too long")
    REVIEW.fill(study=study)
    items = list(ReviewItem.objects.filter(study=study))
    assert items
    clips, shown = REVIEW.clips(items), REVIEW.shown(items)
    for item in items:
        heard = TrialClip.objects.filter(trial=item.answer_id).order_by("place").values_list("clip_id", flat=True)
        assert [(clip.letter, clip.clip) for clip in clips[item.pk]] == list(zip(letters, heard, strict=True))
        rating = Rating.objects.get(trial=item.answer_id)
        assert rating.place is not None
        assert shown[item.pk]["answers"] == [{"clip": letters[rating.place], "label": labels[rating.code]}]
    decide(study, expert("eva", study), now)
    [row] = review_overview.table(study.pk, simulated=False)
    review = items[0].__class__.objects.get(state="done")
    rated = Rating.objects.select_related("clip").get(trial=review.answer_id)
    assert rated.clip is not None
    assert row["file"] == rated.clip.file
