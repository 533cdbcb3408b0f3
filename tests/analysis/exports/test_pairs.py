"""What ratings.csv says of the other one of two clips, and of the side."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import call_command

from raters.models import TrialClip
from studies.launch.states import close
from studies.models import Clip
from tests.analysis.rated import Rated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def exported(world: Rated, folder: Path, *options: str) -> list[dict[str, str]]:
    close(study=world.study)
    call_command("export_study", world.study.slug, *options, out=folder, verbosity=0)
    [file] = folder.rglob("ratings.csv")
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize(("kind", "reference"), [("compare", "none"), ("compare", "text"), ("cmos", "")])
def test_each_rating_of_a_pair_names_the_other_clip_its_system_and_the_side(
    kind: str, reference: str, now: datetime, tmp_path: Path
) -> None:
    first = 1 if reference == "text" else 0
    options = {"task__reference": reference} if reference else {}
    rows = exported(Rated(now, kind=kind, options=options).everybody(6), tmp_path)
    assert rows
    clips = {clip.file: clip for clip in Clip.objects.select_related("system", "text")}
    for row in rows:
        own, other = clips[row["clip"]], clips[row["against_clip"]]
        assert own.pk != other.pk
        assert own.text_id == other.text_id
        assert row["against"] == ("human" if other.role == "reference" else other.system.name)
        side = int(row["place"])
        beside = {"trial__clips__place": 2 * first + 1 - side, "trial__clips__clip": other}
        assert TrialClip.objects.filter(place=side, clip=own, **beside).exists()
    assert {row["place"] for row in rows} == {str(first), str(first + 1)}


def test_published_ratings_name_the_other_system(now: datetime, tmp_path: Path) -> None:
    rows = exported(Rated(now, kind="compare").everybody(6), tmp_path, "--profile", "open")
    assert {row["against"] for row in rows} == {"alpha", "beta"}


def test_of_several_clips_on_a_screen_none_is_the_other(now: datetime, tmp_path: Path) -> None:
    rows = exported(Rated(now, kind="mushra").everybody(6), tmp_path)
    assert {(row["against"], row["against_clip"]) for row in rows} == {("", "")}
