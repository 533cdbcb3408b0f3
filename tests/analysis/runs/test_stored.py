"""Stored results: read as they were written, by this release and by earlier ones, or refused with a sentence."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from analysis.report import computing, document
from analysis.report.page import blocks
from analysis.runs.models import Analysis
from analysis.sections.mixed_models import Models
from analysis.sections.results import UnreadableResults, dump, load
from analysis.sections.shared import NOT_COMPUTED
from tests.analysis.report.made import crowd, given
from tests.analysis.report.results import nothing, results
from tests.analysis.world import World
from tests.researchers import logged_in, researcher

SENTENCE = "This release can’t read the results of this analysis. Run it again to see them."


def earlier() -> dict[str, Any]:
    """Return results without the keys that the first release did not write."""
    stored = results()
    stored["detection"] = {
        "overall": {
            **dict.fromkeys(("d_prime", "criterion", "beta", "auc"), 0.5),
            **dict.fromkeys(("d_prime_low", "d_prime_high", "auc_low", "auc_high")),
            "name": "",
            "human": 20,
            "synthetic": 40,
        },
        "systems": [],
        "raters": [None, 0.4],
        "human_from": "test",
    }
    del stored["models"]["answers_clips"], stored["models"]["bayes_clips"]
    del stored["metrics"]
    stored["from_a_later_release"] = 1
    return stored


@pytest.mark.parametrize("stored", [results(), nothing()])
def test_what_is_read_is_written_again_with_the_same_keys(stored: dict[str, Any]) -> None:
    assert dump(load(stored)) == stored


def test_results_of_an_earlier_release_are_read_with_defaults_and_shown() -> None:
    stored = earlier()
    loaded = load(stored)
    assert loaded.metrics == NOT_COMPUTED
    assert isinstance(loaded.models, Models)
    assert loaded.models.bayes_clips == NOT_COMPUTED
    assert {block.part.refused for block in blocks(loaded) if block.part.key == "metrics"} == {NOT_COMPUTED.refused}
    assert document.parts(loaded)
    del stored["from_a_later_release"]
    assert dump(loaded) == stored


def test_results_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load(results()).study.scale.low = 1.0  # type: ignore[misc]


def test_computed_results_are_the_same_after_they_were_stored() -> None:
    computed = computing.compute(given(crowd({"alpha": 0.4, "human": 0.8})))
    assert load(dump(computed)) == computed
    assert "first" not in dump(computed)["scores"]["by"]["system"][0], "only tasks that ask again have it"


@pytest.mark.django_db
def test_a_page_of_results_that_cannot_be_read_says_to_run_the_analysis_again(world: World, now: datetime) -> None:
    stored = results()
    del stored["scores"]["by"], stored["inputs"]
    with pytest.raises(UnreadableResults):
        load(stored)
    world.study.owner = owner = researcher("ada")
    world.study.save()
    settings = {"simulated": "without", "versions": [1], "seed": 1, "draws": 1000}
    done = {"study": world.study, "created_at": now, "ended_at": now, "state": "done", "settings": settings}
    first = Analysis.objects.create(results=stored, **done)
    row = Analysis.objects.create(results=stored, repeats=first, **done)
    response = logged_in(owner).get(f"/studies/{world.study.slug}/analyses/{row.pk}/")
    assert response.status_code == 200
    assert SENTENCE in response.content.decode()
    assert "Run it again</button>" in response.content.decode()
