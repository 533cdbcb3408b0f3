"""Figures of the page, worked out again from the database by code that shares nothing with the product."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any

import pytest

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.sections.results import dump
from raters.models import Rating, Session
from tests.analysis.world import World


def compute(world: World, simulated: Simulated = Simulated.WITHOUT) -> dict[str, Any]:
    return dump(figures.compute(study_id=world.study.pk, simulated=simulated, now=world.now))


def by_hand(world: World, key: str, *, simulated: bool = False, human: bool = True) -> dict[str, float]:
    """Group by plain loops: test role, done and valid batch, no verdict on the answer."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for row in Rating.objects.select_related("trial__batch__session", "clip__system", "trial__answer"):
        batch, clip = row.trial.batch, row.clip
        assert clip is not None
        counts = (
            batch.state == "done"
            and batch.valid
            and not row.trial.answer.verdicts.exists()
            and batch.session.simulated == simulated
            and clip.role == "test"
            and (human or clip.system.name != "human")
        )
        if counts and row.value is not None:
            groups[clip.system.name if key == "system" else getattr(clip, key)].append(row.value)
    return {name: fmean(values) for name, values in groups.items()}


def shown(found: dict[str, Any], by: str) -> dict[str, float]:
    return {row["name"]: row["mean"] for row in found["scores"][by]}


def test_scores_come_from_usable_test_rows_alone(world: World) -> None:
    world.crowd(15)
    world.crowd(4, simulated=True)
    found = compute(world)
    assert shown(found, "system") == pytest.approx(by_hand(world, "system"))
    assert shown(found, "voice") == pytest.approx(by_hand(world, "voice"))
    assert shown(found, "dimension") == pytest.approx(by_hand(world, "dimension", human=False))
    assert set(shown(found, "dimension")) == {"数字", "poetry"}
    assert shown(compute(world, Simulated.ONLY), "system") == pytest.approx(by_hand(world, "system", simulated=True))
    ratings = sum(row["ratings"] for row in compute(world, Simulated.WITH)["scores"]["system"])
    real = sum(row["ratings"] for row in found["scores"]["system"])
    assert ratings > real


def test_scores_without_the_trap_rule_take_invalid_batches_back_but_nothing_else(world: World) -> None:
    clips = world.clips("alpha")
    valid, invalid = world.batch(world.session()), world.batch(world.session(), valid=False)
    away = world.batch(world.session(), "expired")
    world.rate(valid, clips[0], "human")
    world.rate(invalid, clips[1], "machine")
    answer = world.rate(invalid, clips[2], "machine")
    world.exclude("expert", answer=answer)
    world.rate(away, clips[3], "machine")
    row = compute(world)["scores"]["system"][0]
    assert (row["mean"], row["ratings"]) == (1.0, 1)
    assert (row["without_traps"], row["without_traps_ratings"]) == (0.5, 2)


def test_a_revoked_verdict_excludes_nothing_from_the_score_without_traps(world: World, now: datetime) -> None:
    batch = world.batch(world.session(), valid=False)
    world.rate(world.batch(world.session()), world.clips("alpha")[1], "human")
    answer = world.rate(batch, world.clips("alpha")[0], "machine")
    verdict = world.exclude("expert", answer=answer)
    assert compute(world)["scores"]["system"][0]["without_traps_ratings"] == 1
    verdict.revoked_at = now
    verdict.save()
    assert compute(world)["scores"]["system"][0]["without_traps_ratings"] == 2


def test_trap_accuracy_counts_every_full_batch_valid_or_not(world: World) -> None:
    flawed, humans = world.clips("broken", "trap_flawed"), world.clips("human", "trap_human")
    for state, valid, label in (("done", True, "machine"), ("done", False, "human"), ("queued", None, "machine")):
        batch = world.batch(world.session(), state, valid)
        world.rate(batch, flawed[0], label)
        world.rate(batch, humans[0], "unclear")
    world.rate(world.batch(world.session(), "open"), flawed[0], "machine")
    counts = {row["role"]: (row["right"], row["asked"]) for row in compute(world)["traps"]}
    assert counts == {"trap_flawed": (2, 3), "trap_human": (0, 3)}


def test_the_human_baseline_is_of_human_test_clips_where_there_are_any(world: World) -> None:
    batch = world.batch(world.session())
    world.rate(batch, world.clips("human")[0], "unclear")
    world.rate(batch, world.clips("human", "trap_human")[0], "human")
    found = compute(world)["baseline"]
    assert (found["source"], found["mean"]) == ("test", 0.5)


def test_without_human_test_clips_the_baseline_is_of_traps_of_every_full_batch(world: World) -> None:
    trap = world.clips("human", "trap_human")
    world.rate(world.batch(world.session()), trap[0], "human")
    world.rate(world.batch(world.session(), valid=False), trap[1], "machine")
    world.rate(world.batch(world.session(), "open"), trap[2], "machine")
    found = compute(world)["baseline"]
    assert (found["source"], found["mean"], found["ratings"]) == ("traps", 0.5, 2)


def test_coverage_counts_usable_answers_up_to_the_number_wanted(world: World) -> None:
    clip = world.clips("alpha")[0]
    for number in range(12):
        world.rate(world.batch(world.session()), clip, "human", surplus=number >= 10)
    world.rate(world.batch(world.session(), valid=False), clip, "human")
    found = compute(world)["coverage"]
    cell = next(cell for cell in found["cells"] if (cell["system"], cell["dimension"]) == ("alpha", "数字"))
    counts = {"clips": 6, "wanted": 60, "usable": 12, "filled": 10, "reopened": 0}
    assert cell == {"system": "alpha", "dimension": "数字", **counts}
    assert (found["clips"], found["wanted"], found["filled"]) == (36, 360, 10)


def test_people_and_batches_are_counted_by_how_far_they_came(world: World, now: datetime) -> None:
    world.batch(world.session(outcome="complete"))
    world.batch(world.session(outcome="complete"), valid=False)
    world.batch(world.session(outcome="withdrawn"), "closed")
    working = world.batch(world.session(), "open")
    world.rate(working, world.clips("alpha")[0], "human", served=now - timedelta(minutes=2))
    idle = world.batch(world.session(), "open")
    world.rate(idle, world.clips("alpha")[0], "human", served=now - timedelta(minutes=20))
    declined = world.session(outcome="declined")
    Session.objects.filter(pk=declined.pk).update(consented_at=None, started_at=None)
    found = compute(world)
    assert found["people"] == {
        "arrived": 6,
        "consented": 5,
        "started": 5,
        "rating": 2,
        "complete": 2,
        "declined": 1,
        "screened_out": 0,
        "slow_line": 0,
        "no_place": 0,
        "withdrawn": 1,
    }
    assert found["batches"] == {"valid": 1, "invalid": 1, "waiting": 0, "open": 2, "expired": 0, "closed": 1}
    assert found["active"] == 1
    assert found["minutes"] == {"median": 6.0, "sessions": 2}
    assert found["guesser"] == pytest.approx(5 / 27)


def test_a_study_that_nobody_has_rated_has_figures_too(world: World) -> None:
    found = compute(world)
    assert found["scores"]["system"] == []
    assert found["baseline"] is None
    assert found["coverage"]["filled"] == 0
