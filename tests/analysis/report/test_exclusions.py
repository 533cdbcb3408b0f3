"""What an exclusion changes where results are seen: on the page and in the files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.source import Source
from analysis.live import figures
from analysis.sections.results import dump
from raters.models import Batch, Rating
from raters.privacy import requests
from raters.rating import verdicts
from tests.analysis.world import World


def hls(world: World) -> dict[str, float]:
    shown = dump(figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=world.now))
    return {row["name"]: row["mean"] for row in shown["scores"]["system"]}


def exported(world: World, folder: Path, name: str = "ratings") -> list[tuple[str, str]]:
    files.write(Source(world.study, Simulated.WITHOUT), folder)
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        return [(row.get("usable", ""), row["exclusion_reasons"]) for row in csv.DictReader(file)]


def test_scores_and_files_follow_an_exclusion_and_its_undoing(world: World, tmp_path: Path) -> None:
    first, second, *_ = world.clips("alpha")
    kept, out = world.batch(world.session()), world.batch(world.session())
    world.rate(kept, first, "human")
    world.rate(out, second, "machine")
    assert hls(world) == {"alpha": pytest.approx(0.5)}
    verdict = verdicts.exclude(
        session=out.session_id, rule="by_hand", by=None, now=world.now, detail={"reason": "A robot"}
    )
    assert hls(world) == {"alpha": pytest.approx(1.0)}
    assert exported(world, tmp_path) == [("true", ""), ("false", "by_hand")]
    assert [reasons for _, reasons in exported(world, tmp_path, "batches")] == ["", "by_hand"]
    assert [reasons for _, reasons in exported(world, tmp_path, "raters")] == ["", "by_hand"]
    verdicts.revoke(verdict_id=verdict.pk, by=None, now=world.now)
    assert hls(world) == {"alpha": pytest.approx(0.5)}
    assert exported(world, tmp_path) == [("true", ""), ("true", "")]


def test_what_a_rater_took_back_is_in_no_file_and_comes_again_with_the_undoing(world: World, tmp_path: Path) -> None:
    batch = world.batch(world.session())
    world.rate(batch, world.clips("alpha")[0], "human", reason="She breathes between the sentences")

    def said() -> tuple[list[str], bool]:
        rows = exported(world, tmp_path)
        words = [path.name for path in sorted(tmp_path.glob("*.*")) if "She breathes" in path.read_text()]
        with open(tmp_path / "ratings.csv", encoding="utf-8", newline="") as file:
            [row] = csv.DictReader(file)
        assert rows == [(row["usable"], row["exclusion_reasons"])]
        return words, bool(row["label"] or row["score"] or row["justification"] or row["note"])

    assert said() == (["ratings.csv", "ratings.jsonl"], True)
    erasure = requests.delete_answers(session_id=batch.session_id, now=world.now)
    assert said() == ([], False)
    assert exported(world, tmp_path) == [("false", "deletion_asked")]
    requests.undo(erasure_id=erasure.pk, now=world.now)
    assert said() == (["ratings.csv", "ratings.jsonl"], True)


def test_rows_that_only_some_answers_have_leave_with_what_a_rater_took_back(world: World, tmp_path: Path) -> None:
    kept, gone = world.batch(world.session()), world.batch(world.session())
    for batch, clip in ((kept, world.clips("alpha")[0]), (gone, world.clips("alpha")[1])):
        answer = world.rate(batch, clip, "machine")
        given = {"study": world.study, "trial": answer.trial, "clip": clip, "place": 0}
        Rating.objects.create(part="marker", code="pauses", **given)
    Batch.objects.filter(pk=gone.pk).update(trap_counts={"flawed_right": 1, "flawed": 2})
    assert len(exported(world, tmp_path)) == 4
    requests.delete_answers(session_id=gone.session_id, now=world.now)
    assert exported(world, tmp_path) == [("true", ""), ("true", ""), ("false", "deletion_asked")]
    assert exported(world, tmp_path, "batches") == [("", ""), ("", "deletion_asked")]
    with open(tmp_path / "batches.csv", encoding="utf-8", newline="") as file:
        assert [row["flawed_right"] for row in csv.DictReader(file)] == ["", ""]


def test_a_batch_given_back_by_hand_counts_though_its_traps_were_failed(world: World, tmp_path: Path) -> None:
    batch = world.batch(world.session(), valid=False)
    world.rate(batch, world.clips("alpha")[0], "human")
    assert hls(world) == {}
    verdicts.revoke(verdict_id=batch.verdicts.get().pk, by=None, now=world.now)
    assert hls(world) == {"alpha": pytest.approx(1.0)}
    assert exported(world, tmp_path) == [("true", "")]
