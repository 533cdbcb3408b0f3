"""Fill an empty PostgreSQL database with a study of any size, its answers, and raters who are about to begin.

Studies and places are made by the product's own services; a million answers come by a few INSERT … SELECT.
`python -m tests.bench.seeding --help`; what it made is printed as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

import django

django.setup()

from django.core.signing import dumps  # noqa: E402
from django.db import connection  # noqa: E402

from core import clock  # noqa: E402
from core.files import storage  # noqa: E402
from raters.models import Rater, Session  # noqa: E402
from raters.people import cookies  # noqa: E402
from studies.clips import figures  # noqa: E402
from studies.definition import presets  # noqa: E402
from studies.definition.parsing import change, parse  # noqa: E402
from studies.models import Clip, Study, StudyVersion, System, Text  # noqa: E402
from studies.pool.layout import lay_out  # noqa: E402
from tests.bench.history import add_history  # noqa: E402
from tests.world import silence  # noqa: E402

SYSTEMS = ("human", "alpha", "beta", "gamma")
DIMENSIONS = ("style", "pauses", "emotion", "numbers", "names")


@dataclass(frozen=True)
class Size:
    """How much there is in a study."""

    clips: int
    answers: int
    flawed: int
    humans: int
    seconds: float
    playback: str


def make_study(size: Size) -> Study:
    """Make and launch an ATT study: every system says every text."""
    now = clock.now() - timedelta(days=40)
    raw = presets.get("att").definition.model_dump(mode="json")
    changes = {"protocol.playback": size.playback, "protocol.ratings_wanted": 10_000}
    draft = parse(change(raw, changes)).model_dump(mode="json")
    study = Study.objects.create(slug="bench", title="Bench", draft=draft)
    wav = silence(size.seconds, 24_000)
    name = storage.put("renditions", wav)
    known = {system: System.objects.create(study=study, name=system) for system in (*SYSTEMS, "broken")}
    texts = Text.objects.bulk_create(
        [Text(study=study, name=f"text-{number}", body="A sentence.") for number in range(size.clips // len(SYSTEMS))]
    )
    common: dict[str, Any] = {
        "study": study, "original": name, "rendition": name, "rendition_bytes": len(wav), "duration": size.seconds,
        "sample_rate": 24_000, "channels": 1, "true_peak": -1.0, "added_at": now, "sha256": "0" * 64,
    }  # fmt: skip
    clips = [
        Clip(
            file=f"{system}/{number}.wav", system=known[system], role="test", text=text, voice=f"{system}-voice",
            dimension=DIMENSIONS[number % len(DIMENSIONS)], **common,
        )
        for system in SYSTEMS
        for number, text in enumerate(texts)
    ]  # fmt: skip
    traps = (("trap_flawed", "broken", size.flawed), ("trap_human", "human", size.humans))
    for role, system, count in traps:
        clips += [Clip(file=f"{role}/{n}.wav", system=known[system], role=role, **common) for n in range(count)]
    Clip.objects.bulk_create(clips, batch_size=2000)
    figures.keep(study, now)
    StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    lay_out(study=study, now=now, rng=Random(1))
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
    study.refresh_from_db()
    return study


def people(study: Study, count: int, *, earlier: int) -> list[str]:
    """Return the cookies of new raters who have read the instructions, each with `earlier` answers behind them."""
    now = clock.now()
    if earlier:
        raters = add_history(study, sessions=count, batches=earlier // 10, outcome="withdrawn")
    else:
        raters = [rater.pk for rater in Rater.objects.bulk_create([Rater(created_at=now) for _ in range(count)])]
    made = Session.objects.bulk_create(
        Session(
            rater_id=rater, study=study, version=study.versions.get(), source="bench", ext_study="bench",
            ext_session=f"now-{rater}", step=Session.Step.RATING, arrived_at=now, consented_at=now, started_at=now,
        )
        for rater in raters
    )  # fmt: skip
    return [dumps(session.pk, salt=cookies._salt(cookies.NAME, study.slug)) for session in made]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--answers", type=int, default=0)
    parser.add_argument("--flawed", type=int, default=60)
    parser.add_argument("--humans", type=int, default=120)
    parser.add_argument("--duration", type=float, default=3.0)
    parser.add_argument("--playback", default="record")
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--earlier", type=int, default=0)
    asked = parser.parse_args()
    os.umask(0o077)
    study = Study.objects.first()
    if study is None:
        size = Size(asked.clips, asked.answers, asked.flawed, asked.humans, asked.duration, asked.playback)
        study = make_study(size)
        if asked.answers:
            add_history(study, sessions=-(-asked.answers // 30), batches=3, outcome="complete")
    made = people(study, asked.people, earlier=asked.earlier)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
    json.dump({"slug": study.slug, "cookies": made}, sys.stdout)


if __name__ == "__main__":
    main()
