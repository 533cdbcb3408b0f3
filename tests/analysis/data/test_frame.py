"""The table that analyses start from."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from analysis.data import frame
from raters.models import Rating
from studies import task_types
from tests.analysis.rated import Rated, system, took
from tests.analysis.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_every_rating_with_the_score_is_a_row_and_those_that_count_are_told(kind: str, now: datetime) -> None:
    world = Rated(now, kind=kind).everybody()
    part = world.frozen.kind.score.part
    table = frame.scores(world.study.pk, False)
    everything = Rating.objects.filter(study=world.study, part=part, trial__session__simulated=False)
    pairs = frame.OF_PAIR if world.frozen.kind.contests else ()
    assert set(table.columns) == {*frame.COLUMNS, *pairs}
    assert list(table["rating"]) == list(everything.order_by("pk").values_list("pk", flat=True))
    counted = frame.counted(table)
    expected = {row.pk: row for row in world.counting(part)}
    assert set(counted["rating"]) == set(expected)
    for row in counted.itertuples():
        rating = expected[int(str(row.rating))]
        shown = f"{row.system} (anchor)" if row.kind == "anchor" else row.system
        assert (row.score, row.code, shown) == (rating.value, rating.code, system(rating))
        assert row.reasons == ""
        clips = len({clip.clip_id for clip in rating.trial.clips.all()})
        assert row.response_seconds == pytest.approx(took(rating.trial) / clips, abs=0.001)


def test_rows_that_do_not_count_say_why(world: World) -> None:
    world.crowd(10)
    table = frame.scores(world.study.pk, False)
    left = table[~table["usable"]]
    assert set(left["reasons"]) == {"traps", "batch_incomplete", "expert"}
    assert set(table[table["usable"]]["reasons"]) == {""}
    assert set(table["role"]) == {"test", "trap_flawed", "trap_human"}


def test_positions_count_over_the_whole_session(world: World) -> None:
    session = world.session()
    clips = world.clips("alpha")
    for start in (0, 3):
        batch = world.batch(session, size=10)
        for clip in clips[start : start + 3]:
            world.rate(batch, clip, "machine")
    assert list(frame.scores(world.study.pk, False)["position"]) == [1, 2, 3, 11, 12, 13]


def test_simulated_sessions_and_versions_are_chosen(world: World) -> None:
    world.crowd(2)
    world.crowd(3, simulated=True)
    sizes = [len(frame.scores(world.study.pk, which)) for which in (False, True, None)]
    assert sizes == [20, 30, 50]
    assert len(frame.scores(world.study.pk, None, [1])) == 50
    assert len(frame.scores(world.study.pk, None, [2])) == 0


def test_a_study_without_ratings_is_a_table_without_rows(world: World) -> None:
    table = frame.scores(world.study.pk, None)
    assert tuple(table.columns) == frame.COLUMNS
    assert not len(frame.counted(table))


def test_a_row_takes_at_most_the_memory_that_is_documented(world: World) -> None:
    world.crowd(6)
    table = frame.scores(world.study.pk, None)
    stored = [table[name].cat.codes if table[name].dtype == "category" else table[name] for name in table]
    each = sum(column.to_numpy().dtype.itemsize for column in stored)
    assert frame.ROW.itemsize <= 140
    assert each <= 130
    assert table["score"].dtype == np.float64
