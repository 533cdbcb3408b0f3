"""A session of the Human Fooling Rate, plain and granular, by the services."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import Invalid
from raters.models import Answer, Rating, Trial, TrialClip
from raters.rating import batches
from raters.rating.progress import as_json
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.launch.states import launch
from tests import kinds
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def hear(person: Person, seconds: float = 1.0) -> None:
    """Listen to the current clip, and think for some seconds."""
    person.fetch()
    person.play()
    person.wait(person.current.trial.clips[0].seconds + seconds)


def rate(person: Person, answer: dict[str, Any], **evidence: Any) -> None:
    """Listen and answer; `evidence` is what the browser says of the one clip."""
    hear(person)
    [clip] = person.current.trial.clips
    person.send(person.submission(answer=answer, evidence={"clips": {clip.key: evidence}}))


def refused(person: Person, answer: dict[str, Any]) -> dict[str, str]:
    """Send an answer that can't be stored, and return what is said of each field."""
    with pytest.raises(Invalid) as error:
        person.send(person.submission(answer=answer))
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()
    return dict(error.value.problems)


def parts() -> list[tuple[str, str, float | None]]:
    return list(Rating.objects.order_by("pk").values_list("part", "code", "value"))


def test_a_batch_without_traps_is_rated_in_two_labels_and_counts(now: datetime) -> None:
    person = Person(kinds.make("hfr", now=now), now).start()
    rate(person, {"label": "human"})
    rate(person, {"label": "machine"})
    assert person.is_done
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    assert parts() == [("label", "human", 1.0), ("label", "machine", 0.0)]
    assert Trial.objects.filter(usable=True).count() == 2


@pytest.mark.parametrize("kind", ["hfr", "hfr_granular"])
def test_with_traps_a_batch_counts_for_those_who_hear_them(kind: str, now: datetime) -> None:
    traps = {"protocol__flawed_traps": 1, "protocol__human_traps": 1, "protocol__human_traps_right": 1}
    study = kinds.make(kind, now=now, **traps)
    for is_attentive in (True, False):
        person = Person(study, now).start()
        while not person.is_done:
            is_machine = (person.role == "trap_human") != is_attentive
            machine = {"label": "machine"} | ({"markers": ["flat"]} if kind == "hfr_granular" else {})
            rate(person, machine if is_machine else {"label": "human"})
        assert batches.validate(pk=person.filled[0], now=person.now) is is_attentive


@pytest.mark.parametrize("kind", ["hfr", "hfr_granular"])
def test_the_browser_is_told_that_an_interruption_voids_a_play(kind: str, now: datetime) -> None:
    person = Person(kinds.make(kind, now=now), now).start()
    assert as_json(person.current, person.study.slug)["trial"]["interruption"] == "void"


def test_what_was_interrupted_is_kept_as_evidence_and_is_no_reason_to_refuse(now: datetime) -> None:
    person = Person(kinds.make("hfr", now=now), now).start()
    rate(person, {"label": "human"}, plays=2, interrupted=1, played=1.0)
    (clip,) = Answer.objects.get().evidence["clips"].values()
    assert (clip["plays"], clip["interrupted"]) == (2, 1)


def test_an_answer_in_between_is_refused_by_its_field(now: datetime) -> None:
    person = Person(kinds.make("hfr", now=now), now).start()
    hear(person)
    assert list(refused(person, {"label": "unclear"})) == ["label"]


def test_machine_without_a_marker_and_human_with_one_are_refused_and_nothing_is_stored(now: datetime) -> None:
    person = Person(kinds.make("hfr_granular", now=now), now).start()
    hear(person)
    assert list(refused(person, {"label": "machine", "markers": []})) == ["markers"]
    assert list(refused(person, {"label": "human", "markers": ["flat"]})) == ["markers"]


def test_markers_are_rows_in_their_own_order_each_with_its_moment(now: datetime) -> None:
    study = kinds.make("hfr_granular", now=now, task__moments=True)
    person = Person(study, now).start()
    moments = {"flat": 0.2}
    rate(person, {"label": "machine", "markers": ["no_human_quirks", "flat"], "moments": moments})
    rate(person, {"label": "human"})
    marked = [("marker", "flat", 0.2), ("marker", "no_human_quirks", None)]
    assert parts() == [("label", "machine", 0.0), *marked, ("label", "human", 1.0)]
    first = Rating.objects.filter(part="marker").values_list("trial", "clip").distinct()
    assert len(first) == 1


def test_a_moment_behind_the_end_of_the_clip_is_refused(now: datetime) -> None:
    person = Person(kinds.make("hfr_granular", now=now, seconds=0.5, task__moments=True), now).start()
    hear(person)
    sent = {"label": "machine", "markers": ["flat"], "moments": {"flat": 2.0}}
    assert list(refused(person, sent)) == ["moments"]


def test_the_sentence_reaches_the_browser_only_where_it_is_shown(now: datetime) -> None:
    for shows in (False, True):
        study = make_study(now=now, texts=10, flawed=0, humans=0, launch=False)
        raw = presets.get("hfr-granular").definition.model_dump(mode="json")
        plain = {"screening.device": "off", "screening.volume": False, "screening.headphones": "none"}
        study.draft = parse(change(raw, {"task.show_text": shows, **plain})).model_dump(mode="json")
        study.save()
        launch(study=study, now=now)
        person = Person(study, now).start()
        told = as_json(person.current, study.slug)
        said = TrialClip.objects.get(trial__token=person.current.trial.token).clip.text
        assert ((said and said.body) == told["trial"]["shown"].get("text")) is shows
        assert ("Sentence number" in str(told)) is shows


def test_both_orders_are_met_by_half_of_the_raters_and_each_keeps_one(now: datetime) -> None:
    study = kinds.make("hfr", now=now, task__option_order="counterbalanced")
    first = []
    for _ in range(4):
        person = Person(study, now).start()
        orders = []
        while not person.is_done:
            orders.append(person.current.trial.shown["public"]["options"][0])
            rate(person, {"label": "human"})
        assert len(set(orders)) == 1
        first.append(orders[0])
    assert sorted(first) == ["human", "human", "machine", "machine"]


@pytest.mark.parametrize("kind", ["hfr", "hfr_granular"])
def test_the_export_tells_response_and_decision_seconds_and_who_was_quick(
    kind: str, now: datetime, tmp_path: Path
) -> None:
    study = kinds.make(kind, now=now, seconds=2.0)
    person = Person(study, now).start()
    for label, think in (("human", 4.0), ("machine", 0.1)):
        hear(person, think)
        markers = {"markers": ["flat", "unnatural_pauses"]} if kind == "hfr_granular" and label == "machine" else {}
        person.send(person.submission(answer={"label": label, **markers}))
    call_command("export_study", study.slug, out=tmp_path, verbosity=0)
    with (tmp_path / "ratings.csv").open(newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if row["part"] == "label"]
    assert [row["response_seconds"] for row in rows] == ["6", "2.1"]
    assert [float(row["decision_seconds"]) for row in rows] == pytest.approx([4.0, 0.1])
    assert [row["quick"] for row in rows] == ["false", "true"]
