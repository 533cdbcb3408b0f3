"""Kept counts of clips are always what the rows say, whoever changes clips; small studies are counted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from studies.clips import figures
from studies.clips.models import ClipFigures
from studies.imports import changes, labelling
from studies.launch import copies, states
from studies.models import Clip, Study
from studies.summaries import services as summaries
from tests.world import make_study


@pytest.fixture
def draft(db: None, files: Path, now: datetime) -> Study:
    study = make_study(now=now, launch=False, dimensions=("news", "chat"))
    figures.keep(study, now)
    return study


def kept(study: Study) -> list[figures.Group]:
    return [figures.Group(*row) for row in ClipFigures.objects.get(study=study).groups]


def test_what_is_kept_is_what_the_rows_say_after_each_change(draft: Study, now: datetime) -> None:
    rng = Random(4)
    last: list[labelling.Changed] = []

    def some() -> list[int]:
        return rng.sample(sorted(draft.clips.values_list("pk", flat=True)), k=3)

    def chosen() -> Callable[[], object]:
        keys = some()
        clips = Clip.objects.filter(pk__in=keys)
        labels = rng.choice([{"role": "training"}, {"system": rng.choice("xyz")}, {"dimension": rng.choice("pq")}])
        return rng.choice(
            [
                lambda: last.append(labelling.relabel(study=draft, clips=clips, labels=labels, now=now)),
                lambda: last.append(labelling.delete(study=draft, clips=clips, now=now)),
                lambda: labelling.restore(study=draft, clips=clips, now=now),
                lambda: labelling.remove(study=draft, clips=clips, now=now),
                lambda: labelling.undo(study=draft, change=last.pop().undo, now=now) if last else None,
                lambda: changes.withdraw(clips=keys, now=now),
                lambda: changes.restore(clips=keys, now=now),
            ]
        )

    seen = set()
    for step in range(60):
        try:
            chosen()()
        except Exception as error:
            # A change that was refused, such as the undoing of labels that changed since.
            assert type(error).__name__ in {"Conflict", "Invalid"}, (step, error)  # noqa: PT017
        assert kept(draft) == figures.counted([draft.pk]), step
        seen.add(tuple(kept(draft)))
    assert len(seen) > 20


def test_a_small_study_is_counted_and_a_large_one_shows_what_is_kept(
    draft: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [["human", "test", "", False, 3000, 1.0], ["human", "test", "", True, 5, 1.0]]
    ClipFigures.objects.update(groups=wrong)
    monkeypatch.setattr(summaries, "QUICK", 4000)
    assert figures.total(draft.pk) == draft.clips.count()
    monkeypatch.setattr(summaries, "QUICK", 3000)
    assert figures.total(draft.pk) == 3000
    assert figures.by_role(draft.pk) == {"test": 3000}
    assert len(figures.groups(draft.pk, withdrawn=True)) == 2


def test_without_kept_counts_the_rows_are_counted(draft: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    ClipFigures.objects.all().delete()
    monkeypatch.setattr(summaries, "QUICK", -1)
    assert figures.total(draft.pk) == draft.clips.count()


def test_counts_of_several_studies_are_those_of_each(draft: Study, now: datetime) -> None:
    other = make_study(now=now, launch=False, texts=3)
    both = figures.of_studies([draft.pk, other.pk])
    assert both == [*figures.groups(draft.pk), *figures.groups(other.pk)]


def test_a_pilot_has_counts_of_its_own(draft: Study, now: datetime) -> None:
    draft = states.change_settings(study=draft, changes={"texts.consent": "I agree"})
    pilot = copies.make_pilot(
        study=draft, slug="pilot-1", draft=draft.draft, number=1, raters=5, now=now + timedelta(days=1), rng=Random(1)
    )
    assert kept(pilot) == figures.counted([pilot.pk]) != []
