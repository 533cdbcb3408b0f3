"""Nothing but its sound tells one clip of a screen from another: neither a field, nor a length, nor equal bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.http import HttpRequest

from core.files import storage
from core.web.middleware import ContentSecurityPolicy
from raters.models import Answer, TrialClip
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.models import Clip, Study, StudyVersion, System, Text
from studies.pool.layout import lay_out
from tests.raters.crawl import Crawl, Visitor, key_of
from tests.raters.leaks import check
from tests.raters.secretive import HUMAN, RATE, SYSTEMS, World, sound

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
KINDS = ("mushra", "cmos", "bs1116")
# Of the human recording and of each system's clip of one text; the second text is said at another pace.
SECONDS = ((0.4, 0.4, 0.6), (0.6, 0.3, 0.5), (0.5, 0.5, 0.5))
Plant = Callable[[HttpRequest, Any], None]


def make(kind: str, now: datetime) -> World:
    """Make a live study whose trials have several clips each; its names are words found nowhere else."""
    changes = {"audio.sample_rate": RATE, "protocol.tests_per_batch": 3, "protocol.batches_per_session": 1}
    changes |= {"screening.device": "off", "screening.volume": False, "screening.headphones": "none"}
    if kind == "mushra":
        changes["task.anchors"] = []
    if kind == "cmos":
        # The recording of a text is heard again beside the next system.
        changes |= {"protocol.tests_per_batch": 6, "protocol.repeat_text": "crossed"}
    draft = parse(change(presets.get(kind).definition.model_dump(mode="json"), changes)).model_dump(mode="json")
    study = Study.objects.create(slug="screens", title="Voices", draft=draft)
    world = World(study)
    world.hide("system", HUMAN, *SYSTEMS)
    systems = {name: System.objects.create(study=study, name=name) for name in (HUMAN, *SYSTEMS)}
    for number, pace in enumerate(SECONDS):
        text = Text.objects.create(study=study, name=f"zqtext{number}", body=f"Zqbody{number} says this.")
        for place, (name, seconds) in enumerate(zip(systems, pace, strict=True)):
            rendition = sound("test", seconds, 10 * number + place + 1)[1]
            Clip.objects.create(
                study=study,
                file=f"zqfile{number}{place}.wav",
                system=systems[name],
                role="reference" if name == HUMAN else "test",
                text=text,
                sha256=f"{number}{place}".zfill(64),
                rendition=storage.put("renditions", rendition),
                rendition_bytes=len(rendition),
                duration=seconds,
                sample_rate=RATE,
                channels=1,
                true_peak=-1.0,
                added_at=now,
            )
    StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    lay_out(study=study, now=now, rng=Random(7))
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
    return world


class ScreenVisitor(Visitor):
    """A browser that loads, plays and rates screens of several clips."""

    def rate_one(self, progress: dict[str, Any], *, thoroughly: bool) -> dict[str, Any]:
        progress = self.progress(self.send("GET", self.page("trial/")))
        trial, tab = progress["trial"], progress["tab"]
        for ahead in progress["next"]:
            self.expect(200, self.send("GET", ahead["url"]))
        for clip in trial["clips"]:
            self.expect(200, self.send("GET", clip["url"]))
            self.probe(clip["url"])
            self.expect(200, self.post(f"api/played/{clip['key']}", {"tab": tab}))
        self.crawl.now += timedelta(seconds=9)
        rated = trial["clips"][trial["shown"].get("has_reference", False) :]
        answers: dict[str, dict[str, Any]] = {
            "mushra": {"ratings": {clip["key"]: 50 for clip in rated}},
            "sets": {"order": [clip["key"] for clip in rated]},
            "compare": {"preference": 1, "more": dict.fromkeys(trial["shown"].get("more", ()), 1)},
            "scales": {"answers": dict.fromkeys(trial["shown"].get("scales", ()), "3")},
        }
        answer = answers.get(self.crawl.world.study.definition.task_type, {"preference": 1})
        letter = self.letter(progress, answer=answer)
        return self.progress(self.expect(200, self.post(f"api/answers/{trial['token']}", letter)))

    def probe(self, url: str) -> None:
        """Ask for a clip in parts that begin and end at odd places, as after a line that broke."""
        self.expect(200, self.send("HEAD", url))
        for span in ("0-99", "43-44", "45-45", "1001-4000", "-5001", "9001-"):
            self.expect(206, self.send("GET", url, headers={"Range": f"bytes={span}"}))


def crawled(kind: str, now: datetime, monkeypatch: pytest.MonkeyPatch, plant: Plant | None = None) -> list[str]:
    """Rate a study as two people, with or without a leak in it, and return the leaks that were found."""
    whole = ContentSecurityPolicy.__call__

    def leaky(middleware: ContentSecurityPolicy, request: HttpRequest) -> Any:
        response = whole(middleware, request)
        if plant and request.path.startswith("/rate/"):
            plant(request, response)
        return response

    monkeypatch.setattr(ContentSecurityPolicy, "__call__", leaky)
    crawl = Crawl(make(kind, now), now, monkeypatch)
    for name in ("ann", "bob"):
        ScreenVisitor(crawl, name).rate(thoroughly=False)
    assert Answer.objects.count() == 2 * len(SECONDS) * (2 if kind == "cmos" else 1)
    return [str(leak) for leak in check(crawl.log)]


@pytest.mark.parametrize("kind", KINDS)
def test_no_clip_of_a_screen_is_named_by_a_field_a_length_or_its_bytes(
    kind: str, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert crawled(kind, now, monkeypatch) == []


def clip_of(request: HttpRequest) -> Clip:
    return TrialClip.objects.select_related("clip").get(key=key_of(request.path)).clip


def in_each_sound(changed: Callable[[Clip, bytes], bytes]) -> Plant:
    """Plant something in every clip that is sent whole."""

    def plant(request: HttpRequest, response: Any) -> None:
        if "/audio/" in request.path and request.method == "GET" and response.status_code == 200:
            content = changed(clip_of(request), response.getvalue())
            response.streaming_content = iter([content])
            response["Content-Length"] = str(len(content))

    return plant


def in_each_header(request: HttpRequest, response: Any) -> None:
    if "/audio/" in request.path and clip_of(request).role == "reference":
        response["Vary"] = "Accept"


def lengths_in_json(request: HttpRequest, response: Any) -> None:
    if response.get("Content-Type") == "application/json" and b'"clips"' in response.content:
        content = json.loads(response.content)
        for clip in content["trial"]["clips"]:
            clip["seconds"] = TrialClip.objects.get(key=clip["key"]).clip.duration
        response.content = json.dumps(content).encode()
        response["Content-Length"] = str(len(response.content))


def unfilled(clip: Clip, content: bytes) -> bytes:
    """Cut the filler off."""
    return content[: 44 + struct.unpack("<L", content[40:44])[0]]


def stored(clip: Clip, content: bytes) -> bytes:
    """Put the stored samples in the place of those with dither of their own."""
    with storage.open_file(clip.rendition) as file:
        samples = file.read()[44:]
    return content[:44] + samples + content[44 + len(samples) :]


def signed(clip: Clip, content: bytes) -> bytes:
    """Write into the filler which clip it is."""
    return content[:-1] + bytes([clip.pk % 256 or 1])


PLANTS: dict[str, tuple[Plant, str]] = {
    "lengths in JSON": (lengths_in_json, "screen field"),
    "a header on the reference": (in_each_header, "screen header"),
    "no filler": (in_each_sound(unfilled), "screen length"),
    "the same bytes twice": (in_each_sound(stored), "screen repeat"),
    "a mark in the filler": (in_each_sound(signed), "screen file"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_what_names_a_clip_of_a_screen_is_found(name: str, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, kind = PLANTS[name]
    assert kind in {leak.partition(":")[0] for leak in crawled("mushra", now, monkeypatch, plant)}
