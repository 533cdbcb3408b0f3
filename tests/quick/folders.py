"""Folders of small sounds, and listeners who choose between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from quick.request import Kept, Request
from raters.models import TrialClip
from raters.rating import batches
from raters.rating.progress import CurrentTrial
from studies.definition.queries import get
from tests import world
from tests.audio import encoded, speech


def folder(root: Path, name: str, texts: int, *, rate: int = 16000, level: float = 0.2, **more: Any) -> Path:
    """Write `texts` sounds of their own, named after the folder."""
    path = root / name
    path.mkdir(parents=True)
    for text in range(texts):
        seed = 1000 * sum(map(ord, name)) + text
        sound = speech(more.get("seconds", 0.5), rate=rate, seed=seed, level=level)
        (path / f"{name}_sentence{text:03}.wav").write_bytes(encoded(sound, rate, subtype="PCM_16"))
    return path


def asked(*folders: Path, **options: Any) -> Request:
    return Request(folders=folders, seed=7, **options)


class Listener(world.Person):
    """Somebody who opened the link; `answer` gets the text and the systems that were heard, in their order."""

    def rate_one(self, answer: Callable[[str, list[str]], Any]) -> None:
        rows = TrialClip.objects.filter(trial__token=self.current.trial.token).order_by("place")
        heard = list(rows.values_list("clip__system__name", flat=True))
        text = rows.values_list("clip__text__name", flat=True)[0]
        self.fetch()
        self.play()
        self.wait(sum(clip.seconds for clip in self.current.trial.clips) + 1)
        self.send(self.submission(answer=answer(text, heard)))

    def rate(self, answer: Callable[[str, list[str]], Any], trials: int | None = None) -> Listener:  # type: ignore[override]
        """Answer so many trials, or all; let a full batch be decided."""
        while isinstance(self.page, CurrentTrial) and trials != 0:
            self.rate_one(answer)
            trials = None if trials is None else trials - 1
        while self.filled:
            batches.validate(pk=self.filled.pop(0), now=self.now)
        return self


def listener(kept: Kept, now: Any) -> Listener:
    person = Listener(get(kept.slug), now)
    person.start()
    return person


def prefers(*texts_of_other: str, system: str) -> Callable[[str, list[str]], Any]:
    """Return an answer that prefers `system`, except on some texts."""

    def answer(text: str, heard: list[str]) -> Any:
        is_second = heard[-1] == system
        return {"preference": 1 if is_second != (text in texts_of_other) else -1}

    return answer
