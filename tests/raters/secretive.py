"""A study in which everything that a rater must not learn is a word or a number found nowhere else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.color import no_style
from django.db import connection

from core.files import storage
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.definition.settings.crowd import CODES as SETTINGS
from studies.imports.ingest.facts import Target
from studies.imports.ingest.rendition import render
from studies.models import Cell, Clip, Item, Pool, Study, StudyVersion, System, Text
from studies.pool.layout import lay_out
from tests.audio import encoded, speech

RATE = 16000
# Renditions last as long as each other, whatever rate a role's originals had; originals are a little shorter.
SECONDS = (0.4, 0.6)
ORIGINALS = {"test": 44100, "trap_flawed": 22050, "trap_human": 48000, "training": 32000}
SYSTEMS = ("zqmorvane", "zqtelluric")
HUMAN, BROKEN = "zqperson", "zqwreck"
CODES = {
    "complete": "ZQDONE5173",
    "declined": "ZQNOTME5173",
    "bad_device": "ZQDEVICE5173",
    "screened_out": "ZQSCREEN5173",
    "failed_comprehension": "ZQREAD5173",
    "failed_attention": "ZQHEED5173",
    "technical_failure": "ZQBROKEN5173",
    "withdrawn": "ZQGONE5173",
    "no_place": "ZQFULL5173",
}
ROLE_WORDS = ("trap_", "trap-", '"trap', " trap", "flawed", "rendition", "is_trap")
# Far from any number that a page may show.
FAR = 731_940_000


@dataclass
class World:
    """The study, and the words that nothing may hold: {word: what it is}."""

    study: Study
    secrets: dict[str, str] = field(default_factory=dict)

    def hide(self, what: str, *words: object) -> None:
        self.secrets.update({str(word).lower(): what for word in words if str(word)})


@lru_cache(maxsize=256)
def sound(role: str, seconds: float, seed: int) -> tuple[bytes, bytes]:
    """Return an original, as researchers send it, and the rendition that the product makes of it."""
    rate = ORIGINALS[role]
    samples = speech(seconds - seed % 9 / 1000, rate=rate, seed=seed, level=0.05 + 0.1 * (seed % 4))
    target = Target(sample_rate=RATE, loudness=-23.0)
    return encoded(samples, rate, subtype="PCM_16"), render(samples, rate, target, seed=seed)[0]


def make(*, now: datetime, texts: int, flawed: int, humans: int, training: int = 0, **settings: Any) -> World:
    """Make and launch a study; `settings` are dotted with two underscores."""
    changes = {
        "audio.sample_rate": RATE,
        **{f"crowd.{name}": CODES[outcome] for outcome, name in SETTINGS.items()},
        "protocol.max_plays": 3,
        "task.option_order": "counterbalanced",
        **{key.replace("__", "."): value for key, value in settings.items()},
    }
    draft = parse(change(presets.get("att").definition.model_dump(mode="json"), changes)).model_dump(mode="json")
    owner = get_user_model().objects.create(username="zqowner", email="zqmail@example.org", is_staff=True)
    study = Study.objects.create(pk=FAR + 1, slug="listening", title="Voices", draft=draft, owner=owner)
    world = World(study)
    world.hide("completion code", *CODES.values())
    world.hide("owner", "zqowner", "zqmail")
    world.hide("study secret", study.secret[:16])
    world.hide("role", *ROLE_WORDS)
    world.hide("primary key", study.pk)
    Clip.objects.bulk_create(clips(world, texts=texts, flawed=flawed, humans=humans, training=training, now=now))
    StudyVersion.objects.create(pk=FAR + 2, study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    start_far_away(study)
    lay_out(study=study, now=now, rng=Random(7))
    for model in (Cell, Item, Pool):
        world.hide(f"primary key of a {model._meta.model_name}", *model.objects.values_list("pk", flat=True))
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
    return world


def clips(world: World, *, texts: int, flawed: int, humans: int, training: int, now: datetime) -> list[Clip]:
    """Return unsaved clips: each system says each text, and traps beside them."""
    study = world.study
    names = (*SYSTEMS, HUMAN, BROKEN)
    systems = {name: System.objects.create(pk=FAR + 10 + n, study=study, name=name) for n, name in enumerate(names)}
    said = [
        Text.objects.create(pk=FAR + 100 + n, study=study, name=f"zqtext{n:02}", body=f"Zqbody{n:02} says this.")
        for n in range(texts)
    ]
    plan = [("test", name, text) for text in said for name in SYSTEMS]
    plan += [("trap_flawed", BROKEN, None)] * flawed + [("trap_human", HUMAN, None)] * humans
    plan += [("training", (HUMAN, SYSTEMS[0])[number % 2], None) for number in range(training)]
    world.hide("system", *names)
    world.hide("text", *(f"{kind}{n:02}" for kind in ("zqtext", "zqbody") for n in range(texts)))
    world.hide("primary key", *(row.pk for row in (*systems.values(), *said)))
    made = []
    for number, (role, system, text) in enumerate(plan):
        # Every second text, and every second trap, is a long one.
        seconds = SECONDS[(number // 2 if role == "test" else number) % 2]
        original, rendition = sound(role, seconds, number + 1)
        clip = Clip(
            pk=FAR + 1000 + number,
            study=study,
            file=f"zqfolder{system}/zqfile{number:03}.wav",
            system=systems[system],
            role=role,
            text=text,
            voice=f"zqvoice{system}",
            dimension="zqdimension",
            language="zqlanguage",
            box="zqbox",
            benchmark="zqbench",
            condition="zqcondition",
            domain="zqdomain",
            take=f"zqtake{number:03}",
            prompt_file="zqprompt.wav",
            sha256=hashlib.sha256(original).hexdigest(),
            original=storage.put("originals", original),
            rendition=storage.put("renditions", rendition),
            rendition_bytes=len(rendition),
            duration=seconds,
            sample_rate=ORIGINALS[role],
            channels=1,
            loudness=-17.73194 - number / 1e6,
            true_peak=-3.73194 - number / 1e6,
            gain=2.73194 + number / 1e6,
            added_at=now,
        )
        world.hide("file name", "zqfolder", f"zqfile{number:03}", f"zqtake{number:03}", f"zqvoice{system}")
        world.hide("measurement", "17.73194", "3.73194", "2.73194")
        world.hide("hash of an original", clip.sha256[:12])
        world.hide("name in the store", *(name.rpartition("/")[2][:12] for name in (clip.original, clip.rendition)))
        world.hide("primary key of a clip", clip.pk)
        made.append(clip)
    world.hide("column", *(f"zq{name}" for name in ["dimension", "language", "box", "bench", "condition", "domain"]))
    world.hide("file name", "zqprompt")
    return made


def start_far_away(study: Study) -> None:
    """Let the keys of rows that the product makes be numbers found nowhere else."""
    system = System.objects.filter(study=study).first()
    cell = Cell.objects.create(pk=FAR + 10_000, study=study, role="nobody", system=system)
    item = Item.objects.create(pk=FAR + 20_000, study=study, kind="none", role="nobody")
    Pool.objects.create(pk=FAR + 30_000, cell=cell, item=item, wanted=0, shuffle=0.5)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Cell, Item, Pool]):
            cursor.execute(statement)
    item.delete()
    cell.delete()
