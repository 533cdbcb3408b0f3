"""A draft, its pilot that is running, and people who come to either."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from datetime import datetime
from random import Random
from zipfile import ZipFile

from django.core.files.storage import default_storage
from django.test import Client

from accounts.models import User
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports.models import Profile
from core import clock
from studies.launch import pilots, states
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import researcher, text


@dataclass
class Pilot:
    """A draft of rita's with a pilot that runs, and a crowd for either."""

    draft: World
    pilot: World
    rita: User

    def launch(self) -> Study:
        """End the pilot and launch the study."""
        pilots.end(study=self.draft.study)
        states.launch(study=self.draft.study, now=clock.now(), rng=Random(1))
        return self.draft.study


def make(now: datetime) -> Pilot:
    """Return a draft of rita's, and its pilot for three raters."""
    draft = World(now, {"launch": False, "crowd__source": "prolific", "crowd__completion_code": "MAIN1"})
    rita = researcher("rita")
    Study.objects.filter(pk=draft.study.pk).update(owner=rita)
    draft.study.refresh_from_db()
    piloted = copy.copy(draft)
    piloted.study = pilots.start(study=draft.study, raters=3, now=now, rng=Random(1))
    return Pilot(draft, piloted, rita)


def link(study: Study, person: str) -> str:
    return f"/s/{study.slug}/?PROLIFIC_PID={person}&STUDY_ID=ext-{study.pk}&SESSION_ID=s-{person}-{study.pk}"


def come(study: Study, person: str, *, agrees: bool = True) -> str:
    """Arrive by the study's link and agree; return the page that was shown."""
    client = Client()
    page = text(client.get(link(study, person), follow=True))
    if agrees and "I have read this" in page:
        client.post(f"/rate/{study.slug}/consent/", {"decision": "agree", "agreed": "on"})
    return page


def exported(study: Study, user: User, now: datetime) -> dict[str, bytes]:
    """Return the files of a study's export."""
    row = building.request_export(
        study_id=study.pk, simulated=Simulated.WITH, profile=Profile.ANALYSIS, user=user, now=now
    )
    building.build_export(pk=row.pk, clock=lambda: now)
    with default_storage.open(building.export(study.pk, row.pk).file) as file, ZipFile(file) as archive:
        return {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist()}
