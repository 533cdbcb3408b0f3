"""The commands that draft in the foreground."""

from __future__ import annotations

import io
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count

from demo.stand_in import StandIn
from studies.corpus.models import CorpusText
from studies.drafting.models import DraftQuestion
from tests.studies.drafting.material import PASSAGE, passages
from tests.world import make_study

pytestmark = pytest.mark.django_db


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_texts_are_drafted_and_flags_are_printed(stand_in: StandIn, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    printed = call("draft_texts", study.slug, "--dimension", "polyphones", "--number", "3", "--language", "zh-hans")
    assert CorpusText.objects.filter(language="zh-hans", state="draft").count() == 3
    assert "3 of 3 drafted" in printed
    assert "Nothing is used before a person has accepted it." in printed


def test_questions_are_drafted_for_one_passage_and_golden_ones_without(stand_in: StandIn, now: datetime) -> None:
    study = passages(now, PASSAGE, PASSAGE.replace("Monday", "Tuesday"))
    call("draft_questions", study.slug, "--passage", "text-1", "--number", "2", "--tries", "1")
    assert set(DraftQuestion.objects.values_list("text__name", flat=True)) == {"text-1"}
    call("draft_questions", study.slug, "--golden", "3", "--tries", "1")
    assert DraftQuestion.objects.filter(text=None).count() == 3


def test_several_dimensions_are_drafted_at_once_and_an_unknown_one_is_named(
    stand_in: StandIn, now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(now=now, launch=False)
    asked = ("--dimension", "polyphones", "--dimension", "polifones", "--number", "2", "--language", "en")
    call("draft_texts", study.slug, *asked)
    counts = CorpusText.objects.order_by("dimension").values_list("dimension").annotate(number=Count("pk"))
    assert list(counts) == [("polifones", 2), ("polyphones", 2)]
    assert "Not among the study's dimensions: polifones." in capsys.readouterr().err


def test_an_early_end_is_an_error(stand_in: StandIn, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    with pytest.raises(CommandError, match="budget used up"):
        call("draft_texts", study.slug, "--dimension", "x", "--number", "3", "--budget", "1", "--language", "en")
    with pytest.raises(CommandError, match="asks no questions"):
        call("draft_questions", study.slug, "--golden", "1")
    with pytest.raises(CommandError, match="number"):
        call("draft_texts", study.slug, "--dimension", "x", "--number", "0")
    with pytest.raises(CommandError, match="There is no study"):
        call("draft_texts", "no-such-study", "--dimension", "x", "--number", "1")
