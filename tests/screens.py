"""Small worlds with MUSHRA screens, and somebody who rates them."""

from __future__ import annotations

import io
import math
import wave
from array import array
from datetime import datetime
from itertools import count
from random import Random
from typing import Any

from core.files import storage
from raters.models import TrialClip
from raters.rating import listening
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.models import Clip, Study, StudyVersion, System, Text
from studies.pool.layout import lay_out
from tests.world import Person

NUMBERS = count(1)
RATE = 8000


def tone(seconds: float, pitch: float) -> bytes:
    """Return a WAV of a sine wave, so that a test can tell whether something sounds, and which clip it is."""
    samples = array("h", (round(8000 * math.sin(2 * math.pi * pitch * n / RATE)) for n in range(round(seconds * RATE))))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


def make_study(
    *,
    now: datetime,
    systems: tuple[str, ...] = ("alpha", "beta"),
    texts: int = 3,
    seconds: tuple[float, ...] = (0.5,),
    **settings: Any,
) -> Study:
    """Make a launched study: each text has a human reference and a clip of each system.

    `seconds` are the durations of the reference and the systems' clips, taken in turn.
    """
    number = next(NUMBERS)
    raw = presets.get("mushra").definition.model_dump(mode="json")
    changes = {
        "protocol.tests_per_batch": min(texts, 6),
        "task.anchors": [],
        **{k.replace("__", "."): v for k, v in settings.items()},
    }
    draft = parse(change(raw, changes)).model_dump(mode="json")
    study = Study.objects.create(slug=f"screens-{number}", title=f"Screens {number}", draft=draft)
    roles = {"human": "reference", **dict.fromkeys(systems, "test")}
    known = {system: System.objects.create(study=study, name=system) for system in roles}
    clips = []
    for index in range(texts):
        text = Text.objects.create(study=study, name=f"text-{index}", body=f"Sentence number {index}.")
        for place, (system, role) in enumerate(roles.items()):
            length = seconds[place % len(seconds)]
            wav = tone(length, 300 + 100 * place)
            name = storage.put("renditions", wav)
            clips.append(
                Clip(
                    study=study,
                    file=f"{system}/{index}.wav",
                    system=known[system],
                    role=role,
                    text=text,
                    voice=f"{system}-voice",
                    sha256=f"{number:032x}{place:016x}{index:016x}",
                    original=name,
                    rendition=name,
                    rendition_bytes=len(wav),
                    duration=length,
                    sample_rate=RATE,
                    channels=1,
                    true_peak=-1.0,
                    added_at=now,
                )
            )
    Clip.objects.bulk_create(clips)
    StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    lay_out(study=study, now=now, rng=Random(number))
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
    study.refresh_from_db()
    return study


def systems(person: Person) -> list[str]:
    """Return what the current screen really plays, by place."""
    rows = TrialClip.objects.filter(trial__token=person.current.trial.token).order_by("place")
    return list(rows.values_list("clip__system__name", flat=True))


def listen(person: Person) -> None:
    """Play every clip of the screen to its end, one after the other and without a moment between."""
    person.fetch()
    for clip in person.current.trial.clips:
        listening.start_play(session_id=person.session.pk, key=clip.key, tab=person.current.tab, now=person.now)
        person.wait(clip.seconds)


def ratings(person: Person, *, human: int = 100, other: int = 40) -> dict[str, int]:
    """Return a rating for each clip but the shown reference."""
    clips = person.current.trial.clips
    first = int(person.current.trial.shown["public"]["has_reference"])
    names = systems(person)
    return {clip.key: human if names[clip.place] == "human" else other for clip in clips[first:]}


def rate(person: Person, **values: int) -> None:
    """Listen to the screen and rate it."""
    listen(person)
    person.send(person.submission(answer={"ratings": ratings(person, **values)}))
