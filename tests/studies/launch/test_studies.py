"""Making studies, changing drafts, publishing versions, and the states in between."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.errors import Conflict, Invalid, NotFound
from core.registry import Registry
from studies.definition.parsing import change
from studies.definition.settings.crowd import CODES
from studies.imports import changes as clips
from studies.launch import states
from studies.models import Clip, Item, Pool, Study, StudyVersion
from tests.world import make_study

pytestmark = pytest.mark.django_db


def make(now: datetime, **options: Any) -> Study:
    given = {"slug": "voices", "title": "Voices", "preset": "att", "owner": None, "changes": {}, "now": now, **options}
    return states.create_study(**given)


def changed(study: Study, **changes: Any) -> dict[str, Any]:
    return change(study.draft, {key.replace("__", "."): value for key, value in changes.items()})


def test_a_preset_makes_a_draft_with_the_papers_numbers(now: datetime) -> None:
    study = make(now)
    protocol = study.definition.protocol
    assert study.state == "draft"
    assert study.created_at == now
    assert (protocol.tests_per_batch, protocol.flawed_traps, protocol.human_traps) == (7, 1, 2)
    assert (protocol.batches_per_session, protocol.ratings_wanted) == (3, 10)


def test_settings_are_changed_by_dotted_keys(now: datetime) -> None:
    study = make(now, changes={"protocol.ratings_wanted": 4, "task.question": "Who speaks?", "audio.loudness": None})
    definition = study.definition
    assert definition.protocol.ratings_wanted == 4
    assert definition.params.question == "Who speaks?"
    assert definition.audio.loudness is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"protocol.ratings_wanted": 0}, "protocol.ratings_wanted"),
        ({"task.option_order": "upside-down"}, "task.option_order"),
        ({"crowd.return_url": "http://example.org"}, "crowd.return_url"),
        ({"protocol.nothing": 1}, "protocol.nothing"),
        ({"nothing": 1}, "nothing"),
        ({"task_type": "other"}, "task_type"),
    ],
)
def test_a_setting_that_cannot_be_names_its_field(now: datetime, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        make(now, changes=changes)
    assert field in refusal.value.problems
    assert not Study.objects.exists()


@pytest.mark.parametrize("slug", ["", "a", "Big", "under_score", "-dash", "two--dashes", "ümlaut", "x" * 61, "a/b"])
def test_an_address_that_cannot_stand_in_a_link_is_refused(now: datetime, slug: str) -> None:
    with pytest.raises(Invalid) as refusal:
        make(now, slug=slug)
    assert "slug" in refusal.value.problems


def test_an_address_is_used_once(now: datetime) -> None:
    make(now)
    with pytest.raises(Invalid) as refusal:
        make(now)
    assert set(refusal.value.problems) == {"slug"}


def test_a_study_needs_a_title_and_a_known_preset(now: datetime) -> None:
    with pytest.raises(Invalid) as refusal:
        make(now, title="  ")
    assert "title" in refusal.value.problems
    with pytest.raises(NotFound):
        make(now, preset="unheard-of")


def test_each_outcome_gets_a_completion_code_of_its_own(now: datetime) -> None:
    crowds = [make(now, slug=f"study-{number}").definition.crowd for number in range(3)]
    codes = [crowd.code(outcome) for crowd in crowds for outcome in CODES]
    assert len(set(codes)) == 3 * len(CODES)
    assert all(len(code) == 8 and code.startswith("C") for code in codes)


def test_a_code_that_was_given_is_kept(now: datetime) -> None:
    assert make(now, changes={"crowd.completion_code": "MINE"}).definition.crowd.completion_code == "MINE"


def test_launching_freezes_the_draft_as_version_one(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    version = states.launch(study=study, now=now, rng=rng)
    assert (version.number, version.published_at, study.state, study.launched_at) == (1, now, "live", now)
    # Experts’ work, pay and the audit’s thresholds are no part of a version: they may change at any time.
    assert version.definition == states.frozen(study.definition)[0]
    assert set(study.draft) - set(version.definition) == {"payment", "review", "spot_check", "coding", "audit"}
    assert Item.objects.filter(study=study).count() == study.clips.count()


def test_how_experts_review_changes_without_another_version(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    version = states.launch(study=study, now=now, rng=rng)
    states.close(study=study)
    changed = change(study.draft, {"review.mode": "share", "review.inconsistent_limit": 0.3})
    states.update_draft(study=study, raw=changed)
    assert study.definition.review.mode == "share"
    assert not states.has_changes(study, version)


def test_a_study_launches_once(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    states.launch(study=study, now=now, rng=rng)
    with pytest.raises(Conflict, match="already launched"):
        states.launch(study=study, now=now, rng=rng)
    assert StudyVersion.objects.count() == 1


def test_a_blocked_launch_changes_nothing(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False, flawed=0)
    with pytest.raises(Conflict) as refusal:
        states.launch(study=study, now=now, rng=rng)
    assert refusal.value.detail["findings"]
    study.refresh_from_db()
    assert study.state == "draft"
    assert not StudyVersion.objects.exists()
    assert not Item.objects.exists()


def test_the_fingerprint_depends_on_the_settings_alone(now: datetime) -> None:
    definition = make(now).definition
    shuffled = json.loads(json.dumps(definition.model_dump(mode="json")), object_pairs_hook=lambda p: dict(reversed(p)))
    again = type(definition).model_validate(shuffled)
    other = definition.model_copy(update={"protocol": definition.protocol.model_copy(update={"ratings_wanted": 11})})
    assert states.frozen(definition)[1] == states.frozen(again)[1]
    assert states.frozen(definition)[1] != states.frozen(other)[1]


def test_a_changed_draft_becomes_the_next_version_and_the_first_stays(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    first = states.launch(study=study, now=now, rng=rng)
    before = dict(first.definition)
    states.update_draft(study=study, raw=changed(study, texts__consent="I agree."))
    second = states.publish(study=study, now=now + timedelta(days=1))
    first.refresh_from_db()
    assert (first.number, second.number) == (1, 2)
    assert first.definition == before
    assert first.sha256 == states.frozen(type(study.definition).model_validate(before))[1]
    assert second.definition["texts"]["consent"] == "I agree."
    assert second.sha256 != first.sha256


def test_publishing_needs_a_change(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    states.launch(study=study, now=now, rng=rng)
    with pytest.raises(Conflict, match="Nothing has changed"):
        states.publish(study=study, now=now)


def test_a_draft_that_was_never_launched_has_nothing_to_publish(now: datetime) -> None:
    with pytest.raises(Conflict, match="Only a live or paused study"):
        states.publish(study=make(now), now=now)


def test_publishing_asks_for_the_new_number_of_ratings(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    states.launch(study=study, now=now, rng=rng)
    gone = study.clips.filter(role="test").first()
    assert gone is not None
    clips.withdraw(clips=[gone.pk], now=now)
    states.update_draft(study=study, raw=changed(study, protocol__ratings_wanted=3))
    states.publish(study=study, now=now)
    tests = Pool.objects.filter(cell__study=study, cell__role="test")
    assert set(tests.exclude(item__clips__clip=gone).values_list("wanted", flat=True)) == {3}
    assert tests.get(item__clips__clip=gone).wanted == 0
    assert set(Pool.objects.exclude(cell__role="test").values_list("wanted", flat=True)) == {1}


def test_audio_is_settled_by_the_first_clip_and_the_task_type_by_the_launch(
    now: datetime, rng: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studies import task_types

    study = make_study(now=now, launch=False)
    states.update_draft(study=study, raw=changed(study, audio__max_seconds=90))
    for is_launched in (False, True):
        if is_launched:
            states.launch(study=study, now=now, rng=rng)
        with pytest.raises(Invalid) as refusal:
            states.update_draft(study=study, raw=changed(study, audio__loudness=-20.0, audio__max_seconds=30))
        assert set(refusal.value.problems) == {"audio.loudness"}
    known = {**task_types.by_name(), "other": task_types.get("ternary")}
    monkeypatch.setattr(task_types, "by_name", lambda: known)
    with pytest.raises(Invalid) as refusal:
        states.update_draft(study=study, raw={**study.draft, "task_type": "other"})
    assert set(refusal.value.problems) == {"task_type"}


def test_a_bad_draft_names_its_fields_and_is_not_kept(now: datetime) -> None:
    study = make(now)
    with pytest.raises(Invalid) as refusal:
        states.update_draft(study=study, raw=changed(study, protocol__lease_minutes=0, texts__language="?"))
    assert set(refusal.value.problems) == {"protocol.lease_minutes", "texts.language"}
    study.refresh_from_db()
    assert study.definition.protocol.lease_minutes == 30


def test_states_follow_one_another(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    states.launch(study=study, now=now, rng=rng)
    assert states.pause(study=study).state == "paused"
    assert states.resume(study=study).state == "live"
    assert states.close(study=study).state == "closed"
    assert states.reopen(study=study).state == "paused"
    assert states.close(study=study).state == "closed"


@pytest.mark.parametrize(
    ("state", "refused"),
    [
        ("draft", ["pause", "resume", "close", "reopen"]),
        ("live", ["resume", "reopen"]),
        ("paused", ["pause", "reopen"]),
        ("closed", ["pause", "resume", "close"]),
    ],
)
def test_a_step_at_the_wrong_time_says_what_the_state_is(now: datetime, state: str, refused: list[str]) -> None:
    study = make(now)
    Study.objects.update(state=state)
    for move in refused:
        with pytest.raises(Conflict) as refusal:
            getattr(states, move)(study=study)
        assert state in refusal.value.message
    study.refresh_from_db()
    assert study.state == state


def test_a_withdrawn_clip_is_served_to_nobody_until_it_is_taken_back(now: datetime) -> None:
    study = make_study(now=now)
    test = study.clips.filter(role="test").first()
    trap = study.clips.filter(role="trap_flawed").first()
    assert test
    assert trap
    assert clips.withdraw(clips=[test.pk, trap.pk], now=now) == 2
    assert clips.withdraw(clips=[test.pk], now=now) == 0
    places = Pool.objects.filter(item__clips__clip__in=[test, trap])
    assert set(places.values_list("wanted", flat=True)) == {0}
    assert Item.objects.exclude(withdrawn_at=None).count() == 2
    assert clips.restore(clips=[test.pk, trap.pk], now=now) == 2
    assert dict(places.values_list("cell__role", "wanted")) == {"test": 10, "trap_flawed": 1}
    assert not Item.objects.exclude(withdrawn_at=None).exists()


def test_a_clip_withdrawn_before_the_launch_gets_its_places_when_it_comes_back(now: datetime, rng: Random) -> None:
    study = make_study(now=now, launch=False)
    clip = study.clips.filter(role="test").first()
    assert clip
    clips.withdraw(clips=[clip.pk], now=now)
    states.launch(study=study, now=now, rng=rng)
    assert not clip.items.exists()
    clips.restore(clips=[clip.pk], now=now, rng=rng)
    assert Pool.objects.get(item__clips__clip=clip).wanted == 10


@pytest.mark.django_db(transaction=True)
def test_a_clip_is_deleted_with_its_files_before_the_launch_alone(now: datetime, files: Any) -> None:
    from core.files import storage

    study = make_study(now=now, launch=False)
    clip = study.clips.first()
    assert clip
    name = storage.put("renditions", b"own")
    Clip.objects.filter(pk=clip.pk).update(original=name, rendition=name)
    assert clips.remove(clips=[clip.pk], now=now) == 1
    assert not (files / name).exists()
    Study.objects.update(launched_at=now)
    other = study.clips.first()
    assert other
    with pytest.raises(Conflict, match="withdrawn, not deleted"):
        clips.remove(clips=[other.pk], now=now)


def test_the_command_reads_json_text_and_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["protocol.ratings_wanted=3", "task.question=Who speaks?", "audio.loudness=", 'texts.good_reasons=["a"]']
    settings += ["crowd.return_url=", "crowd.source=open"]
    call_command("create_study", "by-command", *[f"--set={setting}" for setting in settings])
    study = Study.objects.get(slug="by-command")
    assert study.title == "By command"
    assert study.definition.protocol.ratings_wanted == 3
    assert study.definition.params.question == "Who speaks?"
    assert study.definition.audio.loudness is None
    assert study.definition.crowd.return_url == ""
    assert study.definition.texts.good_reasons == ("a",)
    assert "by-command" in capsys.readouterr().out


@pytest.mark.parametrize("setting", ["protocol.ratings_wanted=none", "protocol", "protocol.nothing=1"])
def test_the_command_says_which_setting_is_wrong(setting: str) -> None:
    with pytest.raises(CommandError, match="protocol"):
        call_command("create_study", "by-command", "--set", setting)
    assert not Study.objects.exists()


def test_a_registry_keeps_an_entry_once() -> None:
    registry: Registry[str] = Registry()
    assert registry.register("a") == "a"
    registry.register("a")
    registry.register("b")
    assert list(registry) == ["a", "b"]
    assert len(registry) == 2
