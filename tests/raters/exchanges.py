"""What was sent to raters, beside the truth about it that only the test knows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.raters.decoded import Page, page_of


@dataclass(frozen=True, slots=True)
class Truth:
    """What a clip really is; the rater never learns it."""

    clip: int
    role: str
    system: str
    seconds: float

    @property
    def is_trap(self) -> bool:
        return self.role.startswith("trap")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back."""

    rater: str
    route: str
    method: str
    url: str
    status: int
    phrase: str
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    body: bytes
    # The clip that was just answered, the one shown or sent, and the one to be loaded ahead.
    past: Truth | None = None
    now: Truth | None = None
    next: Truth | None = None
    # The trial to which this clip belongs, where that has several: then `lengths` and the like are another module's.
    screen: str = ""
    # Secrets that this very response may tell.
    allowed: frozenset[str] = frozenset()
    # Responses of one twin name must not differ in anything.
    twin: str = ""

    @property
    def where(self) -> str:
        return f"{self.method} {self.route} {self.status}"

    @property
    def group(self) -> tuple[str, str, int]:
        return self.method, self.route, self.status

    @property
    def key(self) -> str:
        """Return the key in an address of audio."""
        return self.url.rpartition("/")[2].partition("?")[0]

    @property
    def is_audio(self) -> bool:
        return self.header("Content-Type") == "audio/wav"

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    @property
    def page(self) -> Page | None:
        return page_of(self.body) if self.header("Content-Type").startswith("text/html") else None

    @property
    def json(self) -> Any:
        """Return the JSON that the response is or holds; None when there is none."""
        if self.header("Content-Type") == "application/json" and self.body:
            return json.loads(self.body)
        return json.loads(self.page.json) if self.page and self.page.json else None


@dataclass(frozen=True, slots=True)
class Leak:
    """One thing that says too much."""

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


Found = Iterator[Leak]


@dataclass(frozen=True)
class Log:
    """All that was sent, and the words that nothing of it may hold: {word: what it is}."""

    secrets: Mapping[str, str]
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def dynamic(self) -> list[Exchange]:
        return [exchange for exchange in self.exchanges if exchange.route != "static"]


def grouped(exchanges: Iterable[Exchange], key: Callable[[Exchange], Any]) -> list[tuple[Any, list[Exchange]]]:
    """Return exchanges by key, those without one left out."""
    groups: dict[Any, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        found = key(exchange)
        if found is not None:
            groups[found].append(exchange)
    return list(groups.items())
