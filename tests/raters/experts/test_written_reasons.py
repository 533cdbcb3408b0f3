"""From what a page counted to an expert's flag and the files (acceptance test 16); pay never hangs on it."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.source import Source
from core import clock
from raters.experts.reviewing import REVIEW
from raters.models import Answer, ReviewItem, Session
from raters.rating import batches, skipping
from raters.rating.rules.polarity import VERSION
from studies.models import Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import decide, next_of
from tests.world import Person, carry, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]

TYPED = "The pause before the last word is too long here"
PASTED = "As an attentive listener I notice a flat and even cadence here"
CHINESE = "最后一个词前面的停顿太长了，语调也不自然"
WAYS: dict[str, dict[str, Any]] = {
    TYPED: {"types": {"insertText": 47}, "keys": 49, "insertions": 47, "first_key_s": 3, "away_s": 0, "blurs": 0},
    PASTED: {"keys": 3, "pastes": 1, "chars_pasted": 62, "largest_insert": 62, "away_s": 21, "after_away": 62},
    CHINESE: {"keys": 58, "compositions": 7, "chars_composed": 20, "insertions": 62, "largest_insert": 4},
}


def post(person: Person, reason: str, evidence: dict[str, Any]) -> None:
    """Answer as a page does."""
    label = {"trap_flawed": "machine", "trap_human": "human"}.get(person.role, "unclear")
    token, tab = person.current.trial.token, person.current.tab
    person.fetch()
    person.play()
    person.wait(3)
    body = {"tab": tab, "key": str(uuid4()), "answer": {"label": label, "reason": reason}, "evidence": evidence}
    address = f"/rate/{person.study.slug}/api/answers/{token}"
    reply = carry(person).post(address, body, content_type="application/json")
    assert reply.status_code == 200, reply.text


@pytest.fixture
def study(now: datetime, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Return a study with a valid batch of one person, whose first three reasons came in three ways."""
    study = make_study(now=now, texts=24, review__double_share=0.0, review__mode="flagged_first")
    person = Person(study, now).start()
    monkeypatch.setattr(clock, "now", lambda: person.now)
    ways = list(WAYS.items())
    while not person.is_done and person.current.batch == 1:
        is_test = person.role == "test"
        reason, inputs = ways.pop() if ways and is_test else (f"{TYPED} {uuid4().hex}", WAYS[TYPED])
        clip = {"plays": 1, "played": 1, "interrupted": 1, "seeks": 2, "speeds": 0, "first_end": 2.5, "since_end": 1}
        key = person.current.trial.clips[0].key
        post(person, reason, {"clips": {key: clip}, "hidden_ms": 1500, "inputs": inputs})
        person.load()
    batches.validate(pk=Session.objects.get().batches.get(number=1).pk, now=person.now)
    return study


def test_crowd_16_pasting_is_flagged_first_and_shown_after_the_decision_and_chinese_is_not(
    study: Study, now: datetime
) -> None:
    eva = expert("eva", study)
    REVIEW.fill(study=study)
    flags = {item.answer.reason: item.flags for item in ReviewItem.objects.select_related("answer")}
    assert flags[CHINESE] == [flag for flag in flags[CHINESE] if "duplicate" in flag] == []
    assert [flag for flag in flags[TYPED] if "duplicate" not in flag] == []
    assert flags[PASTED] == ["drafted", "pasted"]
    assert set(ReviewItem.objects.values_list("rules", flat=True)) == {VERSION}
    first = next_of(study, eva, now)
    assert first is not None
    assert ReviewItem.objects.get(key=first.key).flagged
    assert "pasted" not in json.dumps(first.shown)
    for _ in range(7):
        made = decide(study, eva, now)
        if made.answer.reason == PASTED:
            told = REVIEW.reply(made)["flags"]
            assert told == ["inserted at once after leaving the page", "pasted rather than typed"]
            return
    raise AssertionError("the pasted reason was never offered")


def test_a_flag_changes_neither_what_counts_nor_what_is_paid(study: Study, now: datetime) -> None:
    REVIEW.fill(study=study)
    assert ReviewItem.objects.filter(flagged=True).exists()
    assert Answer.objects.filter(reason=PASTED, trial__usable=True).exists()
    session = Session.objects.get()
    person_paid = session.payable
    assert person_paid is None
    assert not session.verdicts.exists()


def rows(study: Study, folder: Path, name: str) -> list[dict[str, str]]:
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_counts_and_flags_are_in_the_files_and_no_text_is(study: Study, tmp_path: Path) -> None:
    REVIEW.fill(study=study)
    files.write(Source(study, Simulated.WITHOUT), tmp_path)
    told = rows(study, tmp_path, "evidence")
    assert len(told) == Answer.objects.count()
    ratings = {
        (row["session"], row["batch"], row["position_in_batch"]): row for row in rows(study, tmp_path, "ratings")
    }
    by_reason = {ratings[row["session"], row["batch"], row["position_in_batch"]]["justification"]: row for row in told}
    pasted = by_reason[PASTED]
    assert (pasted["chars_pasted"], pasted["pastes"], pasted["away_s"]) == ("62", "1", "21")
    assert (pasted["flags"], pasted["flag_rules"]) == ("drafted|pasted", str(VERSION))
    assert (pasted["hidden_seconds"], pasted["interrupted"], pasted["seeks"], pasted["speeds"]) == (
        "1.5",
        "1",
        "2",
        "0",
    )
    # Not sent is not zero.
    assert (pasted["compositions"], pasted["touch"]) == ("", "")
    assert by_reason[CHINESE]["compositions"] == "7"
    traps = [
        row
        for reason, row in by_reason.items()
        if ratings[row["session"], row["batch"], row["position_in_batch"]]["role"] != "test"
    ]
    assert {row["flags"] for row in traps} == {""}
    known = {row["column"] for row in rows(study, tmp_path, "codebook") if row["table"] == "evidence"}
    assert known == set(told[0])
    assert PASTED not in (tmp_path / "evidence.csv").read_text(encoding="utf-8")
    assert not (tmp_path / "skipped.csv").exists()


def test_skipped_clips_have_a_file_of_their_own(study: Study, now: datetime, tmp_path: Path) -> None:
    person = Person(study, now).start()
    trial = person.current.trial
    person.fetch()
    skipping.skip(
        session_id=person.session.pk, key=trial.clips[0].key, tab=person.current.tab, now=person.now, rng=person.rng
    )
    files.write(Source(study, Simulated.WITHOUT), tmp_path)
    [row] = rows(study, tmp_path, "skipped")
    assert (row["position_in_batch"], row["sent_whole"], row["simulated"]) == (str(trial.position), "true", "false")
    assert row["clip"].endswith(".wav")
    known = {row["column"] for row in rows(study, tmp_path, "codebook") if row["table"] == "skipped"}
    assert known == set(row)
    assert len(rows(study, tmp_path, "evidence")) == Answer.objects.count()
