"""Serve a stand-in for a language model on this machine, to try drafting out."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from demo.stand_in import FAULTS, StandIn


class Command(BaseCommand):
    help = (
        "Serve a stand-in for a language model on 127.0.0.1 until Ctrl+C. It has fixed texts, and makes questions of a "
        "passage's own words: for demonstrations and tests, never for a study."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8790, help="port to listen on (8790)")
        parser.add_argument(
            "--fault",
            choices=FAULTS,
            default="",
            help="how to fail; a request for a model named like stand-in-429 fails like this without the option",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            server = StandIn(options["port"], fault=options["fault"])
        except OSError as error:
            raise CommandError(f"Port {options['port']} can't be used: {error.strerror}.") from error
        self.stdout.write(f"EARSHOT_DRAFT_URL={server.url} EARSHOT_DRAFT_MODEL=stand-in")
        self.stdout.write("Set these two where Earshot runs. Ctrl+C stops the stand-in.")
        self.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            server.server_close()
