"""Results and exports of scales in separate passes are those of the other ways."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from django.core.management import call_command

from analysis.planning.inputs import PowerInputs
from analysis.planning.power import takes
from analysis.report import computing, document
from analysis.sections.quality import Quality
from analysis.sections.scales import Scales
from raters.models import Batch, Rating, Trial
from raters.rating import batches
from raters.simulation.simulated_sessions import simulate
from studies.launch.design_page import activity
from studies.launch.states import close
from studies.models import Study
from tests import kinds
from tests.analysis.report.made import gathered
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOISES = {"name": "Noises", "question": "What do you hear?", "answer": "several", "labels": ["Clicks", "Buzz"]}
POINTS = [{"name": name, "question": f"{name}?"} for name in ("Natural", "Clear")]
OPTIONS: dict[str, Any] = {
    "task__scales": [NOISES, *POINTS], "protocol__flawed_traps": 1, "protocol__human_traps": 1,
    "protocol__human_traps_right": 1, "task__main": "Clear",
}  # fmt: skip


def said(person: Person, part: str) -> str | list[str]:
    """Answer by rater and clip, so that each way gets the same answers."""
    clip, role = Trial.objects.get(token=person.current.trial.token).clips.get().clip, person.role
    number = crc32(f"{person.name.partition('-')[2]} {clip.file} {part}".encode())
    if part == "noises":
        return [["1"], ["2"], ["1", "2"], ["none"]][number % 4]
    return {"trap_flawed": "1", "trap_human": "5"}.get(role) or str(1 + number % 5)


def rated(now: datetime, way: str, raters: int = 8) -> Study:
    study = kinds.make("scales", now=now, **OPTIONS, task__way=way)
    for number in range(raters):
        person = Person(study, now, name=f"{way}-{number}").start()
        while not person.is_done:
            person.fetch()
            person.play()
            person.wait(9)
            parts = person.current.trial.shown["public"]["scales"]
            person.send(person.submission(answer={"answers": {part: said(person, part) for part in parts}}))
        batches.validate(pk=person.filled[0], now=person.now)
    return study


def test_correlations_means_shares_and_traps_are_those_of_one_page(now: datetime) -> None:
    sections = ("scores", "scales", "quality")
    by_way = {way: computing.compute(gathered(rated(now, way), sections=sections)) for way in ("one_page", "passes")}
    one, passes = (by_way[way].scales for way in ("one_page", "passes"))
    assert isinstance(one, Scales)
    assert isinstance(passes, Scales)
    [pair], [alike] = passes.pairs, passes.alike
    assert pair.answers == alike.answers == 16
    assert 0 < alike.alike < 16
    assert (pair.correlation, alike) == (pytest.approx(one.pairs[0].correlation), one.alike[0])
    for mine, other in zip(
        (*passes.means, *passes.shares[0].choices), (*one.means, *one.shares[0].choices), strict=True
    ):
        for of, like in zip(mine.systems, other.systems, strict=True):
            assert (of.name, of.ratings, of.raters, of.clips) == (like.name, like.ratings, like.raters, like.clips)
            assert of.mean == pytest.approx(like.mean)
    for results in by_way.values():
        assert isinstance(results.quality, Quality)
        assert [trap.right for trap in results.quality.traps] == [8, 8]


def exported(study: Study, folder: Path, **options: Any) -> list[dict[str, str]]:
    close(study=study)
    call_command("export_study", study.slug, out=folder, verbosity=0, **options)
    [file] = folder.rglob("ratings.csv")
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


def test_an_export_has_one_row_for_each_rater_clip_and_scale_and_ends_with_the_pass(
    now: datetime, tmp_path: Path
) -> None:
    rows = {way: exported(rated(now, way, raters=3), tmp_path / way) for way in ("one_page", "passes")}
    for listed in rows.values():
        assert list(listed[0])[-2:] == ["repeat", "pass"]
        points = [row for row in listed if row["part"] in ("natural", "clear")]
        assert set(Counter((row["session"], row["clip"], row["part"]) for row in points).values()) == {1}
        assert len(points) == 3 * 4 * 2
    answers = [sorted((row["clip"], row["part"], row["label"], row["score"], row["usable"]) for row in listed)
               for listed in rows.values()]  # fmt: skip
    assert answers[0] == answers[1]
    assert {row["pass"] for row in rows["one_page"]} == {"0"}
    passes = {(row["session"], row["part"], row["pass"]) for row in rows["passes"] if row["part"] != "check"}
    assert Counter(number for _session, _part, number in passes) == {"1": 3, "2": 3, "3": 3}
    assert [row["trial_index"] for row in rows["passes"] if row["session"] == rows["passes"][0]["session"]][-1] == "12"


def test_simulated_raters_finish_all_passes(now: datetime) -> None:
    study = kinds.make("scales", now=now, seconds=1.0, **OPTIONS, task__way="passes")
    simulate(study_id=study.pk, raters=12, seed=2, careless=0.0, now=now)
    assert set(Batch.objects.values_list("state", "size")) == {("done", 12)}
    done = Trial.objects.filter(batch__valid=True, item__role="test")
    assert set(done.values_list("usable", flat=True)) == {True}
    scales = computing.compute(gathered(study, simulated="only", sections=("scores", "scales"))).scales
    assert isinstance(scales, Scales)
    assert [pair.answers for pair in scales.pairs] == [done.filter(pass_number=1).count()]
    assert Rating.objects.filter(part="clear", trial__in=done).count() == done.filter(pass_number=1).count()


def test_the_methods_text_and_the_design_tell_of_the_passes(now: datetime) -> None:
    study = rated(now, "passes", raters=2)
    inputs = gathered(study, sections=("design", "scores"))
    parts = document.parts(computing.compute(inputs), inputs.definition)
    text = " ".join(sentence for part in parts if part.is_prose for sentence in part.sentences)
    assert "Raters rated all items on one scale before the next one, in separate passes" in text
    assert "Hears all clips once for each scale, newly shuffled each time: Noises, Natural, Clear." in activity(
        inputs.definition
    )


def test_planning_counts_an_answer_for_each_pass(now: datetime) -> None:
    inputs = PowerInputs(systems=2, per_rater=5, clips=20, lost=0, invalid=0)
    answers = {}
    for way in ("one_page", "passes"):
        study = kinds.make("scales", now=now, launched=False, task__way=way)
        answers[way] = takes(inputs, study.definition, 10).answers
    assert answers == {"one_page": 100, "passes": 200}
