"""Go through sessions as raters' browsers do, and keep everything that came back."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from random import Random
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.http import Http404
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from core import clock, rng
from raters.models import Trial, TrialClip
from tests.raters.exchanges import Exchange, Log, Truth
from tests.raters.secretive import CODES, World

CHECK = re.compile(rb'name="at" value="([^"]+)"')
SOUND = re.compile(rb'(?:src|data-sound-url)="(/rate/[^"]+/check/sound/[^"]+)"')
IMPORTS = re.compile(r"""(?:from|import)\s*\(?["'](\.[^"']+)["']|url\(["']?([^"')]+)""")


def routes(patterns: Any = None, namespace: str = "") -> set[str]:
    """Return the names of all addresses of the URLconf, the admin's left out."""
    found: set[str] = set()
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver) and pattern.namespace != "admin":
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            found |= routes(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            found.add(f"{namespace}{pattern.name or pattern.pattern}")
    return found


class Crawl:
    """Everything sent to anybody, in a world whose clock and luck are the test's."""

    def __init__(self, world: World, now: datetime, monkeypatch: pytest.MonkeyPatch, *, seed: int = 5) -> None:
        self.world, self.now, self.random = world, now, Random(seed)
        self.log = Log(world.secrets)
        self.files: set[str] = set()
        self.truths: dict[str, Truth] = {}
        monkeypatch.setattr(clock, "now", lambda: self.now)
        monkeypatch.setattr(rng, "fresh", lambda: self.random)

    def visitor(self, name: str) -> Visitor:
        return Visitor(self, name)

    @property
    def visited(self) -> set[str]:
        """Return the addresses that were answered well at least once."""
        return {each.route for each in self.log.exchanges if each.status < 400}

    def truth(self, **name: str) -> Truth | None:
        """Return what a key or a trial's token stands for."""
        (known,) = name.values()
        if known not in self.truths:
            row = TrialClip.objects.filter(**name).select_related("clip__system").first()
            if row is None:
                return None
            clip = row.clip
            self.truths[known] = Truth(clip.pk, clip.role, clip.system.name, clip.duration)
        return self.truths[known]

    def read_files(self) -> None:
        """Fetch what the pages referred to, and what that refers to in turn."""
        done: set[str] = set()
        stranger = self.visitor("files")
        while waiting := self.files - done:
            for address in sorted(waiting):
                done.add(address)
                sent = stranger.send("GET", address)
                assert sent.status == 200, f"{address} is referred to and can't be had"
                if address.endswith((".js", ".css")):
                    named = (first or second for first, second in IMPORTS.findall(sent.body.decode()))
                    folder = address.rpartition("/")[0]
                    self.files |= {
                        resolved(folder, name) for name in named if not name.startswith(("data:", "#", "http"))
                    }


def resolved(folder: str, name: str) -> str:
    """Return the address that a relative name stands for."""
    parts = folder.split("/")
    for part in name.split("/"):
        parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
    return "/".join(parts)


class Visitor:
    """One browser."""

    def __init__(self, crawl: Crawl, name: str) -> None:
        self.crawl, self.name, self.client = crawl, name, Client()
        self.used = ""
        self.slug = crawl.world.study.slug
        self.ids = {"PROLIFIC_PID": f"zqpid{name}", "STUDY_ID": "zqexternal", "SESSION_ID": f"zqvisit{name}"}
        self.reason = f"Zqreason{name} makes the pause before the last word too long"
        crawl.world.hide("platform's id", *self.ids.values())
        crawl.world.hide("earlier answer", f"zqreason{name}")

    def send(self, method: str, url: str, *, twin: str = "", allowed: str = "", **request: Any) -> Exchange:
        """Send one request and keep the exchange."""
        ask = getattr(self.client, method.lower())
        response = ask(url, **request)
        body = response.getvalue()
        path = urlsplit(url).path
        try:
            match = resolve(path)
            route, named = match.view_name, match.kwargs
        except Http404:
            route, named = ("static" if path.startswith("/static/") else "nothing"), {}
        cookies = tuple(morsel.OutputString() for morsel in response.cookies.values())
        head = tuple(response.headers.items())
        may = frozenset({allowed.lower()} if allowed else ())
        may = frozenset({allowed.lower()} if allowed else ())
        sent = Exchange(
            self.name, route, method, url, response.status_code, response.reason_phrase, head, cookies, body,
            twin=twin, allowed=may, **self.about(route, named, response, body),
        )  # fmt: skip
        self.crawl.log.exchanges.append(sent)
        if sent.page and sent.route.startswith("raters:"):
            self.crawl.files |= set(sent.page.files)
        return sent

    def about(self, route: str, named: dict[str, Any], response: Any, body: bytes) -> dict[str, Any]:
        """Return which clips, and which screen of several, a response is about."""
        truth = self.crawl.truth
        if response.status_code == 404:
            return {}
        if route == "raters:audio":
            return {"now": truth(key=named["key"]), "screen": screen_of(named["key"])}
        found: dict[str, Any] = {}
        if route in {"raters:played", "raters:failed"}:
            found["past"] = truth(key=named["key"])
        if route == "raters:answers":
            found["past"] = truth(trial__token=named["token"])
        head = (("Content-Type", response.headers.get("Content-Type", "")),)
        content = Exchange("", route, "", "", 0, "", head, (), body).json or {}
        progress = content.get("progress", content)
        if progress.get("state") == "trial":
            found["now"] = truth(trial__token=progress["trial"]["token"])
            for ahead in progress["next"]:
                found["next"] = truth(key=key_of(ahead["url"]))
        return found

    def page(self, name: str) -> str:
        return f"/rate/{self.slug}/{name}"

    def post(self, name: str, body: dict[str, Any], **request: Any) -> Exchange:
        return self.send("POST", self.page(name), data=body, content_type="application/json", **request)

    def follow(self, sent: Exchange, *, allowed: str = "") -> Exchange:
        """Go where a response leads, with a GET."""
        while sent.status in {302, 303}:
            sent = self.send("GET", sent.header("Location"), allowed=allowed)
        return sent

    def arrive(self) -> Exchange:
        return self.follow(self.send("GET", f"/s/{self.slug}/", data=self.ids))

    def begin(self) -> dict[str, Any]:
        """Come, agree, read, and open the trial page; return what it was told."""
        self.arrive()
        agreed = self.follow(self.send("POST", self.page("consent/"), data={"decision": "agree", "agreed": "on"}))
        self.undergo(agreed)
        for name in ("information/", "information/?download"):
            self.expect(200, self.send("GET", self.page(name)))
        return self.progress(self.undergo(self.follow(self.send("POST", self.page("instructions/")))))

    def undergo(self, sent: Exchange) -> Exchange:
        """Go through the checks and the practice, if there are any, as somebody who gets most of it wrong."""
        while shown := CHECK.search(sent.body):
            for address in SOUND.findall(sent.body):
                self.expect(200, self.send("GET", address.decode()))
                self.expect(206, self.send("GET", address.decode(), headers={"Range": "bytes=0-99"}))
            answer = {"label": "unclear", "reason": self.reason}
            form = {"digits": "111", "audio": "yes", "width": "390", "answer": json.dumps(answer), "question": "0"}
            sent = self.follow(self.send("POST", self.page("check/"), data={**form, "at": shown[1].decode()}))
        return sent

    def progress(self, sent: Exchange) -> dict[str, Any]:
        found: dict[str, Any] = sent.json
        return found

    def letter(self, progress: dict[str, Any], **parts: Any) -> dict[str, Any]:
        label = self.crawl.random.choice(["human", "unclear", "machine"])
        answer = {"label": label, "reason": self.reason}
        return {"tab": progress["tab"], "key": str(uuid4()), "answer": answer, "evidence": {}, **parts}

    def rate(self, *, thoroughly: bool) -> None:
        """Rate to the end; thoroughly: with every mistake and repetition that a browser can make."""
        progress = self.begin()
        while progress["state"] == "trial":
            progress = self.rate_one(progress, thoroughly=thoroughly)
            if progress["state"] != "trial" and (asked := self.send("GET", self.page("check/"))).status == 200:
                progress = self.progress(self.undergo(asked))
        self.tell()
        assert self.send("GET", self.page("end/"), allowed=CODES["complete"]).status == 200
        self.expect(200, self.send("GET", self.page("your-data/")))

    def tell(self) -> None:
        """Answer what is asked at the end, where the study asks anything: wrongly at first."""
        if self.send("GET", self.page("questions/")).status == 200:
            self.expect(422, self.send("POST", self.page("questions/"), data={"age": "12"}))
            self.expect(303, self.send("POST", self.page("questions/"), data={"age": "25-34"}))

    def rate_one(self, progress: dict[str, Any], *, thoroughly: bool) -> dict[str, Any]:
        progress = self.progress(self.send("GET", self.page("trial/")))
        trial = progress["trial"]
        clip, token, tab = trial["clips"][0], trial["token"], progress["tab"]
        self.send("GET", self.page(f"api/current?tab={tab}"))
        self.expect(425, self.post(f"api/answers/{token}", self.letter(progress)))
        if thoroughly:
            self.probe(clip["url"])
            for ahead in progress["next"]:
                self.expect(200, self.send("GET", ahead["url"]))
                self.expect(409, self.post(f"api/played/{key_of(ahead['url'])}", {"tab": tab}))
        self.expect(200, self.send("GET", clip["url"]))
        self.expect(200, self.post(f"api/played/{clip['key']}", {"tab": tab}))
        if thoroughly:
            self.expect(425, self.post(f"api/answers/{token}", self.letter(progress)))
        self.crawl.now += timedelta(seconds=self.crawl.random.uniform(2, 9))
        if thoroughly:
            self.expect(409, self.post(f"api/answers/{token}", self.letter(progress, tab="another")))
            self.expect(422, self.post(f"api/answers/{token}", self.letter(progress, answer={"label": "human"})))
            self.expect(422, self.post(f"api/answers/{token}", self.letter(progress, answer={"label": "trump"})))
            self.expect(422, self.post(f"api/answers/{token}", {"tab": tab}))
            if self.used:
                self.expect(409, self.post(f"api/answers/{token}", self.letter(progress, key=self.used)))
        letter = self.letter(progress)
        self.used = letter["key"]
        following = self.progress(self.expect(200, self.post(f"api/answers/{token}", letter)))
        if thoroughly:
            self.repeat(clip, token, letter)
        return following

    def probe(self, url: str) -> None:
        """Ask for a clip in every way but the whole."""
        self.expect(200, self.send("HEAD", url))
        for span, status in (("0-99", 206), ("-100", 206), ("0-", 206), ("9999999-", 416), ("x", 416)):
            self.expect(status, self.send("GET", url, headers={"Range": f"bytes={span}"}))
        self.expect(405, self.send("POST", url))

    def repeat(self, clip: dict[str, Any], token: str, letter: dict[str, Any]) -> None:
        """Come back to a trial that is answered."""
        self.expect(200, self.post(f"api/answers/{token}", letter))
        self.expect(409, self.post(f"api/answers/{token}", {**letter, "key": str(uuid4())}))
        self.expect(409, self.post(f"api/played/{clip['key']}", {"tab": letter["tab"]}))
        self.expect(404, self.send("GET", clip["url"], twin="no such clip"))

    def expect(self, status: int, sent: Exchange) -> Exchange:
        assert sent.status == status, f"{sent.where}: {sent.body[:300]!r}"
        return sent


def screen_of(key: str) -> str:
    """Return the token of the trial in which a clip stands beside others; empty where it stands alone."""
    token = Trial.objects.filter(clips__key=key).values_list("token", flat=True).first()
    return token if token and TrialClip.objects.filter(trial__token=token).count() > 1 else ""


def key_of(url: str) -> str:
    """Return the key in an address of audio."""
    return url.rpartition("/")[2].partition("?")[0]
