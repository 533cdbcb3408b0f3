"""Make the studies of `tests.bench.lines` in the product's database, and print their addresses."""

from __future__ import annotations

import sys

import django

django.setup()

from core import clock  # noqa: E402
from core.files import storage  # noqa: E402
from studies.models import Clip, Study  # noqa: E402
from tests import kinds, passages, screens  # noqa: E402
from tests.world import silence  # noqa: E402


def lengthen(study: Study, seconds: float, rate: int) -> None:
    """Give all clips of a study this duration."""
    wav = silence(seconds, rate)
    name = storage.put("renditions", wav)
    Clip.objects.filter(study=study).update(
        rendition=name, rendition_bytes=len(wav), duration=seconds, sample_rate=rate
    )


def main() -> None:
    now, rate = clock.now(), int(sys.argv[1])
    clip = kinds.make("hfr", now=now)
    passage = passages.make_passages(now=now, systems=tuple("abcdefgh"), passages=2, protocol__tests_per_batch=2)
    screen = screens.make_study(now=now, systems=tuple("abcdef"), protocol__ratings_wanted=100)
    for study, seconds in ((clip, 10.0), (passage, 60.0), (screen, 10.0)):
        lengthen(study, seconds, rate)
    sys.stdout.write("\n".join(study.slug for study in (clip, passage, screen)))


if __name__ == "__main__":
    main()
