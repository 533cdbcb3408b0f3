"""Compare a second engine with the configured judge; it is admitted if their scores agree."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from random import Random
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.errors import DomainError
from judge.client import configured
from judge.problems import Misconfigured, Unavailable
from judge.runs import parity
from judge.runs.parity import MOST, Pair
from studies.definition import queries as definition_queries


class Command(BaseCommand):
    help = (
        "Score clips of a study with the configured judge and with another engine. The exit status is 1 if any score "
        f"differs by {MOST} or more, or if any clip lacks a score from either."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study whose clips are used")
        parser.add_argument("--url", required=True, help="address of the other engine")
        parser.add_argument("--engine", default="vllm", choices=configured.ENGINES, help="what answers there")
        parser.add_argument("--token-file", type=Path, help="file with its token (the same as EARSHOT_JUDGE_TOKEN)")
        parser.add_argument("--profile", default="", help="how to ask both (the usual one)")
        parser.add_argument("--clips", type=int, default=100, help="how many, drawn at random (100)")
        parser.add_argument("--seed", type=int, default=1, help="of the draw")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pairs = self._pairs(options)
        except DomainError as error:
            raise CommandError(error.message) from error
        except (Misconfigured, Unavailable, OSError) as error:
            raise CommandError(str(error)) from error
        for pair in pairs:
            if not pair.agrees:
                self.stdout.write(f"{pair.recording.file}: {_difference(pair)}")
        differences = [pair.difference for pair in pairs if pair.difference is not None]
        largest = max(differences, default=0.0)
        missing = sum(pair.is_missing for pair in pairs)
        self.stdout.write(f"{len(pairs)} clips, largest difference {largest:.4f}, {missing} missing.")
        if not pairs:
            raise CommandError("This study has no clips to compare.")
        if not all(pair.agrees for pair in pairs):
            raise CommandError(f"Not admitted: every clip must have two scores less than {MOST} apart.")
        self.stdout.write("Admitted: the scores of both engines agree.")

    def _pairs(self, options: Any) -> list[Pair]:
        study = definition_queries.study(options["slug"])
        token = options["token_file"].read_text(encoding="utf-8").strip() if options["token_file"] else None
        first = configured.judge()
        second = configured.client(options["engine"], options["url"], token=token)
        try:
            # Once before the clips, so that configuration errors are reported first.
            profile = options["profile"] or configured.usual_profile() or first.info().profiles[0].name
            second.info()
            clips = parity.draw(study.pk, options["clips"], Random(options["seed"]))  # noqa: S311
            return list(parity.compare(clips, first, second, profile=profile, in_flight=settings.JUDGE_IN_FLIGHT))
        finally:
            first.close()
            second.close()


def _difference(pair: Pair) -> str:
    if pair.difference is not None:
        return f"|ΔHLS| = {pair.difference:.4f}"
    reasons = (f"no score ({answer.code})" for answer in (pair.first, pair.second) if answer.score is None)
    return " and ".join(reasons)
