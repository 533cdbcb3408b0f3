"""Findings of the audit that are part of the comparison, from their acceptance to the methods text."""

from __future__ import annotations

from datetime import datetime

import pytest

from analysis.report import computing, gathering, methods
from analysis.sections.results import dump, load
from studies.audit import accepting
from studies.models import AcceptedFinding
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
LOUDER = "Clips of alpha are louder than those of beta: 3.0 LU."
DULLER = "Clips of human reach higher frequencies than those of alpha & beta: 4.0 kHz."
ONE = "Clips were measured as raters heard them, and the following finding was accepted as part of the comparison."
TWO = "Clips were measured as raters heard them, and the following 2 findings were accepted as part of the comparison."


def test_accepted_findings_are_sentences_of_the_methods_text_until_they_are_taken_back(now: datetime) -> None:
    world = Rated(now, kind="hfr").everybody(6)

    def prose() -> str:
        stored = dump(computing.compute(gathered(world.study)))
        return " ".join(methods.methods(load(stored), world.study.definition).sentences)

    def accepted(key: str, text: str) -> None:
        AcceptedFinding.objects.create(study=world.study, key=key, text=text, accepted_at=now)

    assert "part of the comparison" not in prose()
    accepted("z", LOUDER)
    assert f"{ONE} {LOUDER} [State the versions" in prose()
    accepted("a", DULLER)
    assert f"{TWO} {LOUDER} {DULLER} [State the versions" in prose()
    for key in ("a", "z"):
        assert accepting.revoke(study=world.study, key=key, user=None, now=now)
    assert "part of the comparison" not in prose()


def test_only_an_accepted_finding_changes_the_fingerprint_and_the_results(now: datetime) -> None:
    world = Rated(now, kind="hfr").everybody(6)
    inputs = gathered(world.study)
    before = gathering.fingerprint(inputs)
    assert "accepted" not in dump(inputs.facts)
    assert "accepted" not in dump(computing.compute(inputs))["design"]
    AcceptedFinding.objects.create(study=world.study, key="z", text=LOUDER, accepted_at=now)
    assert gathering.fingerprint(gathered(world.study)) != before
