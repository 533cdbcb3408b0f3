"""The leak crawl finds leaks: each is planted in the real pages, one at a time, and must be named."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpRequest
from django.urls import resolve

from core.web.middleware import ContentSecurityPolicy
from raters.models import TrialClip
from studies.models import Clip
from tests.raters.crawl import Crawl
from tests.raters.leaks import check
from tests.raters.secretive import CODES, make

pytestmark = pytest.mark.django_db


@dataclass
class Slip:
    """A response about to be sent, and the clip that it is about."""

    request: HttpRequest
    response: Any
    route: str
    clip: Clip | None

    @property
    def is_audio(self) -> bool:
        return self.route == "audio" and self.clip is not None and self.response.status_code == 200

    @property
    def is_page(self) -> bool:
        return self.route == "trial" and self.clip is not None

    @property
    def is_json(self) -> bool:
        return self.route in {"current", "answers"} and self.clip is not None and self.response.status_code == 200

    @property
    def is_trap(self) -> bool:
        return self.clip is not None and self.clip.role.startswith("trap")

    def write(self, content: bytes) -> None:
        if self.response.streaming:
            self.response.streaming_content = iter([content])
        else:
            self.response.content = content
        self.response["Content-Length"] = str(len(content))

    def read(self) -> bytes:
        return self.response.getvalue() if self.response.streaming else self.response.content

    def put(self, **fields: Any) -> None:
        """Add fields to the JSON of a trial."""
        content = json.loads(self.read())
        content["trial"] |= fields
        self.write(json.dumps(content).encode())

    def into_page(self, old: str, new: str) -> None:
        assert old in self.read().decode()
        self.write(self.read().decode().replace(old, new, 1).encode())


def noticed(response: Any, route: str, named: dict[str, Any]) -> Clip | None:
    """Return the clip that a response is about."""
    rows = TrialClip.objects.select_related("clip__system", "clip__text")
    if route == "audio":
        row = rows.filter(key=named["key"]).first()
        return row.clip if row else None
    if route not in {"trial", "current", "answers"} or response.streaming or response.status_code != 200:
        return None
    content = response.content
    if route == "trial":
        content = content.partition(b'type="application/json">')[2].partition(b"</script>")[0]
    progress = json.loads(content)
    return rows.get(trial__token=progress["trial"]["token"]).clip if progress["state"] == "trial" else None


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def info(content: bytes) -> bytes:
    """Return a WAV file with the tag that encoders leave behind."""
    body = content[12:] + b"LIST" + struct.pack("<L4s4sL", 18, b"INFO", b"ISFT", 6) + b"Lavf60"
    return b"RIFF" + struct.pack("<L", 4 + len(body)) + b"WAVE" + body


def in_every_audio(change: Callable[[Slip], None]) -> Callable[[Slip], None]:
    return lambda slip: change(slip) if slip.is_audio else None


def in_every_page(change: Callable[[Slip], None]) -> Callable[[Slip], None]:
    return lambda slip: change(slip) if slip.is_page else None


def in_every_json(change: Callable[[Slip], None]) -> Callable[[Slip], None]:
    return lambda slip: change(slip) if slip.is_json else None


def header(name: str, value: Callable[[Any], str]) -> Callable[[Slip], None]:
    return in_every_audio(lambda slip: slip.response.__setitem__(name, value(slip.clip)))


def phrase(slip: Slip) -> None:
    slip.response.reason_phrase = f"OK {slip.clip.role}"


def only_on_traps(slip: Slip) -> None:
    if slip.is_trap:
        slip.response["Vary"] = "Accept"


def trap_class(slip: Slip) -> None:
    if slip.is_trap:
        slip.into_page('class="play"', 'class="play once"')


def pad_json(slip: Slip) -> None:
    if slip.is_trap:
        slip.write(slip.read() + b"   ")


def pad_audio(slip: Slip) -> None:
    if slip.clip.role == "trap_human":
        content = slip.read() + bytes(64)
        slip.write(
            content[:4]
            + struct.pack("<L", len(content) - 8)
            + content[8:40]
            + struct.pack("<L", len(content) - 44)
            + content[44:]
        )


def other_rate(slip: Slip) -> None:
    content = slip.read()
    slip.write(content[:24] + struct.pack("<L", slip.clip.sample_rate) + content[28:])


def file_in_the_page(slip: Slip) -> None:
    slip.into_page("<main", f'<main data-src="{quote(slip.clip.file, safe="")}"')


def code_in_the_instructions(slip: Slip) -> None:
    if slip.route == "instructions" and slip.request.method == "GET":
        slip.into_page('<form method="post">', f'<form method="post" data-x="{coded(CODES["complete"])}">')


def earlier_answer(slip: Slip) -> None:
    from raters.models import Answer

    last = Answer.objects.order_by("at").last()
    slip.put(draft=last.reason if last else "")


def cookie(slip: Slip) -> None:
    slip.response.set_cookie("seen", coded(f"1:{slip.clip.file}"))


def kinder_refusal(slip: Slip) -> None:
    if slip.route == "audio" and slip.clip is not None and slip.response.status_code == 404:
        slip.response.status_code = 403


def fingerprint(slip: Slip) -> None:
    slip.put(version=hashlib.sha256(f"salt{slip.clip.pk}".encode()).hexdigest()[:16])


def escaped_text(slip: Slip) -> None:
    if slip.clip.text:
        slip.put(hint="here")
        slip.write(slip.read().replace(b"here", b"".join(b"\\u%04x" % ord(letter) for letter in slip.clip.text.body)))


def noise_by_role(slip: Slip) -> None:
    slip.put(level=Random(slip.clip.pk).random() + slip.is_trap)


def heavier_next(slip: Slip) -> None:
    content = json.loads(slip.read())
    for ahead in content["next"]:
        following = TrialClip.objects.select_related("clip").get(key=ahead["url"].rpartition("/")[2]).clip
        ahead["priority"] = "low" if following.role.startswith("trap") else "high"
    slip.write(json.dumps(content).encode())


PLANTS: dict[str, tuple[Callable[[Slip], None], str]] = {
    "a header names the system": (header("X-System", lambda clip: clip.system.name), "word"),
    "a header nobody allowed": (header("X-Cache", lambda clip: "hit"), "header"),
    "an ETag": (header("ETag", lambda clip: f'"{clip.pk % 89}"'), "header"),
    "a date of the file": (header("Last-Modified", lambda clip: "Mon, 02 Mar 2026 09:30:00 GMT"), "header"),
    "a file name to save under": (header("Content-Disposition", lambda clip: f"inline; filename={clip.file}"), "word"),
    "the name in the store": (header("X-Sendfile", lambda clip: clip.rendition), "word"),
    "the hash of the original": (header("Location", lambda clip: f"/{clip.sha256[:20]}"), "word"),
    "the status line": (in_every_audio(phrase), "word"),
    "a header on traps alone": (in_every_audio(only_on_traps), "header set"),
    "a cookie, base64": (in_every_page(cookie), "word"),
    "a tag in the audio file": (in_every_audio(lambda slip: slip.write(info(slip.read()))), "audio file"),
    "a header of the audio file": (in_every_audio(other_rate), "audio file"),
    "longer files for one role": (in_every_audio(pad_audio), "audio length"),
    "the original's name in the page": (in_every_page(file_in_the_page), "word"),
    "a class on traps alone": (in_every_page(trap_class), "page structure"),
    "the role in JSON": (in_every_json(lambda slip: slip.put(kind=slip.clip.role)), "word"),
    "spaces after the JSON of traps": (in_every_json(pad_json), "length"),
    "a primary key in JSON": (in_every_json(lambda slip: slip.put(id=slip.clip.pk)), "word"),
    "the text, escaped": (in_every_json(escaped_text), "word"),
    "the study's secret": (in_every_json(lambda slip: slip.put(salt=slip.clip.study.secret)), "word"),
    "one name for a clip whoever asks": (in_every_json(fingerprint), "fingerprint"),
    "the completion code too early": (code_in_the_instructions, "word"),
    "the code of somebody who is screened out": (
        in_every_json(lambda slip: slip.put(otherwise=CODES["screened_out"])), "word",
    ),
    "a duration to the microsecond": (
        in_every_json(lambda slip: slip.put(seconds=slip.clip.duration + 1 / slip.clip.sample_rate)), "precision",
    ),
    "what the rater wrote before": (in_every_json(earlier_answer), "word"),
    "a refusal that tells what exists": (kinder_refusal, "twins"),
}  # fmt: skip
PATTERNS: dict[str, Callable[[Slip], None]] = {
    "a number by role": in_every_json(lambda slip: slip.put(tier=2 if slip.is_trap else 1)),
    "a measurement by role": in_every_json(noise_by_role),
    "a hint at what comes next": in_every_json(heavier_next),
    "an allowed header's value": in_every_audio(
        lambda slip: slip.response.__setitem__("Vary", "Accept" if slip.is_trap else "Cookie")
    ),
}
SMALL = {"texts": 3, "flawed": 1, "humans": 1, "protocol__tests_per_batch": 3, "protocol__human_traps": 1}


def crawled(
    monkeypatch: pytest.MonkeyPatch, now: datetime, plant: Callable[[Slip], None], raters: int, **world: int
) -> set[str]:
    """Crawl a study with a leak in it, and return the kinds of leaks that were found."""
    sound = ContentSecurityPolicy.__call__

    def leaky(middleware: ContentSecurityPolicy, request: HttpRequest) -> Any:
        response = sound(middleware, request)
        if request.path.startswith("/rate/"):
            match = resolve(request.path)
            route = match.url_name or ""
            plant(Slip(request, response, route, noticed(response, route, match.kwargs)))
        return response

    monkeypatch.setattr(ContentSecurityPolicy, "__call__", leaky)
    crawl = Crawl(make(now=now, **world, protocol__batches_per_session=1), now, monkeypatch)
    host = crawl.visitor("hal")
    key = host.begin()["trial"]["clips"][0]["key"]
    for number in range(raters):
        visitor = crawl.visitor(f"r{number}")
        visitor.rate(thoroughly=False)
        for other in (key, "k" * 22):
            visitor.send("GET", visitor.page(f"audio/{other}"), twin="no such clip")
    return {leak.kind for leak in check(crawl.log)}


def test_without_a_plant_nothing_is_found(now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(monkeypatch, now, lambda slip: None, 2, **SMALL) == set()


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_leak_is_found(now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    plant, kind = PLANTS[name]
    assert kind in crawled(monkeypatch, now, plant, 2, **SMALL)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_planted_pattern_is_found(now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert "pattern" in crawled(monkeypatch, now, PATTERNS[name], 4, texts=7, flawed=1, humans=2)
