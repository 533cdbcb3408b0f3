"""Many raters at once, each a process of its own, and what the tables must say of them afterwards."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from raters.models import Trial
from studies.models import Pool, Study
from tests.servers import Child, Processes, gather, until


@dataclass
class Crowd:
    """Visitors who wait at the instructions until they are let in together."""

    children: list[Child]

    def let_in(self) -> None:
        """Let everybody begin at the same moment."""
        for child in self.children:
            until(lambda child=child: "ready" in child.said(), "somebody never got ready", alive=child)  # type: ignore[misc]
        for child in self.children:
            assert child.process.stdin is not None
            child.process.stdin.write("go\n")
            child.process.stdin.flush()

    def seen(self, seconds: float = 60.0) -> list[dict[str, Any]]:
        """Wait for all of them, and return what each saw."""
        return [json.loads(text.splitlines()[-1]) for text in gather(self.children, seconds)]


def invite(processes: Processes, url: str, slug: str, *, people: int, answers: int) -> Crowd:
    """Start visitors; they come through the real pages."""
    command = ("-m", "tests.processes.visitor", url, slug)
    return Crowd(
        [
            processes.python(*command, f"visitor-{number}", f"--answers={answers}", listens_to=True)
            for number in range(people)
        ]
    )


def violations(study: Study) -> list[str]:
    """Return every breach of the rules of places (A1, A3), counted from the trials themselves."""
    found = []
    mine = Trial.objects.filter(session__study=study)
    holding = Counter(mine.filter(holds=True).values_list("pool_id", flat=True))
    capped = Counter(mine.filter(holds=True, surplus=False).values_list("pool_id", flat=True))
    for pool in Pool.objects.filter(cell__study=study):
        if capped[pool.pk] > pool.wanted:
            found.append(f"place {pool.pk}: {capped[pool.pk]} hold it without surplus, {pool.wanted} are wanted")
        if holding[pool.pk] != pool.taken:
            found.append(f"place {pool.pk}: {holding[pool.pk]} hold it, {pool.taken} are noted")
    for what, trials in (("item", mine), ("text", mine.filter(text__isnull=False))):
        twice = trials.values("rater", what).annotate(times=Count("pk")).filter(times__gt=1)
        found += [f"rater {row['rater']} has {what} {row[what]} {row['times']} times" for row in twice]
    return found
