"""Consent states the facts before anything else, from the settings (rule A12); leaving says what is paid."""

from __future__ import annotations

import re
from datetime import datetime
from math import ceil
from random import Random
from typing import Any

import pytest
from django.test import Client

from studies import task_types
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.launch import checks
from studies.launch.effort import effort
from studies.launch.plan import plan_of
from studies.launch.states import launch
from studies.models import Study
from studies.pool.session_time import content_of
from tests import kinds, world
from tests.researchers import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
EVERYTHING: dict[str, Any] = {
    "payment__rate": 3.5, "payment__minutes": 25, "payment__bonus_per_valid_batch": 0.5,
    "texts__contact": "a@b.example", "texts__institution": "University of Somewhere",
}  # fmt: skip


def consent(study: Study, client: Client) -> str:
    query = {"PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s1"}
    client.get(f"/s/{study.slug}/", query)
    return text(client.get(f"/rate/{study.slug}/consent/"))


def facts(page: str) -> dict[str, str]:
    """Return the facts by their names, as people read them."""
    block = page[page.index("<dl") : page.index("</dl>")]
    pairs = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", block, re.S)
    return {name: re.sub(r"<[^>]+>", "", value).strip() for name, value in pairs}


def test_consent_begins_with_time_clips_pay_task_contact_and_institution(now: datetime, client: Client) -> None:
    study = world.make_study(now=now, texts=21, humans=6, texts__information="What this is about.", **EVERYTHING)
    page = consent(study, client)
    assert page.index("<dl") < page.index("What this is about.")
    assert facts(page) == {
        "Time": "About 25 minutes",
        "Clips": "Up to 30, in 3 sets",
        "Your pay": "You get GBP 3.50 for a finished session. You may get a bonus of up to GBP 1.50. "
        "Prolific pays you.",
        "Your task": "Listen to each clip, choose Human, Unclear or Machine, and write in a few words why.",
        "Run by": "University of Somewhere",
        "Questions? Write to:": "a@b.example",
    }


def test_unset_facts_are_left_out_and_the_minutes_are_proposed(now: datetime, client: Client) -> None:
    unset = {"payment__rate": None, "payment__minutes": None, "texts__contact": "", "texts__institution": ""}
    study = world.make_study(now=now, **unset)
    shown = facts(consent(study, client))
    assert shown.keys() == {"Time", "Clips", "Your pay", "Your task"}
    assert shown["Time"] == f"About {effort(plan_of(study)).proposed} minutes"
    assert shown["Your pay"] == "Prolific states the pay and pays you."
    assert "None" not in " ".join(shown.values())


@pytest.mark.parametrize(
    ("changes", "pay"),
    [
        ({"rate": 0.0}, "This study is not paid."),
        ({"rate": 0.8, "per": "clip", "currency": "CNY"},
         "You get CNY 0.80 for each clip of a finished session. University of Somewhere pays you."),
    ],
)  # fmt: skip
def test_pay_is_said_with_who_pays_it(changes: dict[str, Any], pay: str, now: datetime, client: Client) -> None:
    given = EVERYTHING | {"payment__bonus_per_valid_batch": 0, "crowd__source": "open", "crowd__return_url": ""}
    study = world.make_study(now=now, **given | {f"payment__{name}": value for name, value in changes.items()})
    client.post(f"/s/{study.slug}/")
    assert facts(text(client.get(f"/rate/{study.slug}/consent/")))["Your pay"] == pay


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_task_is_described_in_one_sentence(kind: str, language: str, now: datetime, client: Client) -> None:
    study = kinds.make(kind, now=now, texts__language=language)
    shown = facts(consent(study, client))
    assert all(shown.values())
    assert len(shown) >= 4
    task = next(value for value in shown.values() if value.endswith((".", "。")) and "Prolific" not in value)
    assert task.isascii() == (language == "en")


@pytest.mark.parametrize("name", sorted(presets.by_name()))
def test_every_preset_proposes_minutes_and_names_unset_facts_before_the_launch(name: str, now: datetime) -> None:
    study = world.make_study(now=now, launch=False)
    unset = {"payment.rate": None, "payment.minutes": None, "texts.contact": ""}
    raw = presets.get(name).definition.model_dump(mode="json")
    study.draft = parse(change(raw, unset)).model_dump(mode="json")
    study.save()
    found = {each.setting: each.level for each in checks.wording(plan_of(study))}
    assert {setting: found[setting] for setting in unset} == dict.fromkeys(unset, "warning")
    assert study.definition.kind.seconds_a_clip(study.definition.params) >= 20


def test_a_clip_takes_its_duration_and_what_the_paper_reports(now: datetime) -> None:
    study = world.make_study(now=now, seconds=10, texts=21, flawed=3, humans=6)
    # 3 batches of 10 clips, each 10 s and 45 s for the answer with its reason.
    assert effort(plan_of(study)).proposed == 28


@pytest.mark.parametrize(("seconds", "minutes"), [(1, 23), (15, 30)])
def test_judgements_with_reasons_take_the_45_to_60_s_of_the_paper(seconds: int, minutes: int, now: datetime) -> None:
    study = world.make_study(now=now, seconds=seconds, texts=21, flawed=3, humans=6)
    # 30 clips take 22.5 to 30 min by the ATT paper, listening included.
    assert effort(plan_of(study)).proposed == minutes


@pytest.mark.parametrize(("kind", "paper", "more"), [("hfr", 24.3, 1.25), ("mushra", 42.45, 1.14)])
def test_the_minutes_exceed_the_papers_by_one_listening(kind: str, paper: float, more: float, now: datetime) -> None:
    study = kinds.make(kind, now=now, seconds=6.0, launched=False)
    session = effort(plan_of(study))
    # The papers' times include a listening already (docs/design.md).
    assert (session.listening + session.answering) / session.answering == pytest.approx((6 + paper) / paper, abs=1e-3)
    assert (6 + paper) / paper == pytest.approx(more, abs=0.005)


@pytest.mark.parametrize(("kind", "clips", "answers", "each"), [("compare", 2, 1, 24.3), ("mushra", 4, 4, 42.45)])
def test_a_pair_is_answered_once_and_each_clip_of_a_screen(
    kind: str, clips: int, answers: int, each: float, now: datetime
) -> None:
    study = kinds.make(kind, now=now, seconds=6.0, launched=False)
    # Two trials of this many clips, each 6 s.
    expected = ceil(2 * (clips * 6.0 + answers * each) / 60)
    assert effort(plan_of(study)).proposed == expected
    launch(study=study, now=now, rng=Random(1))
    assert content_of(study.pk, study.definition).minutes == expected


@pytest.mark.parametrize(
    ("rate", "source", "sentence"),
    [
        (3.5, "prolific", "If you leave now, you are not paid: only a finished session is paid."),
        (3.5, "open", "If you leave now, you are not paid: only a finished session is paid."),
        (0.0, "open", "Nothing is paid if you leave now."),
        (None, "open", "Nothing is paid if you leave now."),
    ],
)
def test_the_page_to_leave_says_what_is_paid(
    rate: float | None, source: str, sentence: str, now: datetime, client: Client
) -> None:
    study = world.make_study(now=now, payment__rate=rate, crowd__source=source, crowd__return_url="")
    if source == "open":
        client.post(f"/s/{study.slug}/")
    else:
        consent(study, client)
    client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    assert sentence in text(client.get(f"/rate/{study.slug}/leave/"))
