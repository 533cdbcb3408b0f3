"""Margins and widths are in the unit that pages show, above 0 and below half the scale (rule D3)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.definition.definition import WIDTHS
from studies.definition.parsing import parse
from studies.launch import checks, states
from studies.models import Study

# By preset: half the scale as pages show it.
HALVES = {"hfr": 50, "sp-mcqa": 50, "att": 0.5, "acr": 2, "cmos": 3, "mushra": 50}


def create(preset: str, now: datetime, **changes: Any) -> Study:
    changed = {name.replace("__", "."): value for name, value in changes.items()}
    return states.create_study(slug=f"a-{preset}", title="A study", preset=preset, owner=None, changes=changed, now=now)


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize(("preset", "half"), sorted(HALVES.items()))
def test_a_margin_of_half_the_scale_or_more_is_refused_beside_its_setting(
    db: None, files: Path, now: datetime, preset: str, half: float, name: str
) -> None:
    for value in (half, 1000.0):
        with pytest.raises(Invalid) as refused:
            create(preset, now, **{f"results__{name}": value})
        assert f"below {half:g}" in refused.value.problems[f"results.{name}"]
    study = create(preset, now, **{f"results__{name}": 0.9 * half})
    assert getattr(study.definition.results, name) == pytest.approx(0.9 * half)
    with pytest.raises(Invalid):
        states.change_settings(study=study, changes={f"results.{name}": half})
    study.refresh_from_db()
    assert getattr(study.definition.results, name) == pytest.approx(0.9 * half)


@pytest.mark.parametrize(
    ("preset", "shown"), [("hfr", 10), ("sp-mcqa", 10), ("att", 0.1), ("acr", 0.1), ("mushra", 0.1)]
)
def test_values_that_release_0_1_stored_are_read_in_their_unit_and_shown_in_the_new_one(
    preset: str, shown: float
) -> None:
    stored = presets.get(preset).definition.model_dump(mode="json")
    del stored["format"]
    stored["results"] |= {"margin": 0.1, "stop_width": 0.1}
    read = parse(stored)
    assert (read.results.margin, read.results.stop_width) == (pytest.approx(shown), pytest.approx(shown))
    # Stored again, it is the same.
    assert parse(read.model_dump(mode="json")) == read


def test_a_stored_margin_that_can_not_be_one_blocks_the_launch_and_other_settings_still_change(
    db: None, files: Path, now: datetime
) -> None:
    study = create("hfr", now)
    draft = {**study.draft, "results": {**study.draft["results"], "margin": 10}}
    del draft["format"]
    Study.objects.filter(pk=study.pk).update(draft=draft)
    study.refresh_from_db()
    assert study.definition.results.margin == 1000
    [finding] = [each for each in checks.findings(study) if each.setting == "results.margin"]
    assert (finding.level, finding.message) == (
        "blocking",
        "Enter a number above 0 and below 50, half the scale of HFR.",
    )
    states.change_settings(study=study, changes={"protocol.ratings_wanted": 12})
    states.change_settings(study=study, changes={"results.margin": 10})
    assert study.definition.results.margin == 10
    assert not [each for each in checks.findings(study) if each.setting == "results.margin"]
