"""Start a stand-in for Prolific's API, to test payments without an account and without money."""

from __future__ import annotations

from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import NotFound
from demo.prolific import people
from demo.prolific.account import Account
from demo.prolific.server import Server

TOKEN = "fake"  # noqa: S105  (everybody may know it)


class Threaded(ThreadingMixIn, WSGIServer):
    """A server with a thread for each request."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """A handler that logs each request without its query."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as its parent calls it)
        self.server.say(f"{self.command} {self.path.partition('?')[0]}")  # type: ignore[attr-defined]


class Command(BaseCommand):
    """Answers as Prolific's API does, for this machine only, until it is stopped."""

    help = "A stand-in for Prolific's API on 127.0.0.1: submissions of --study, or --submissions made up."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8199)
        parser.add_argument("--study", default="", help="the short name of a study here, whose people are shown")
        parser.add_argument("--submissions", type=int, default=45, help="how many are made up without --study")

    def handle(self, *args: Any, **options: Any) -> None:
        account = Account()
        server = Server(account, token=TOKEN)
        if options["study"]:
            try:
                people.mirror(account, options["study"])
            except NotFound as error:
                raise CommandError(error.message) from error
            server.before = lambda: people.mirror(account, options["study"])
        else:
            people.made_up(account, options["submissions"])
        with make_server("127.0.0.1", options["port"], server, Threaded, Quiet) as httpd:
            httpd.__dict__["say"] = self.stdout.write
            url = f"http://127.0.0.1:{httpd.server_port}"
            self.stdout.write("A stand-in for Prolific. Start Earshot beside it with:")
            self.stdout.write(f"  EARSHOT_PROLIFIC_API={url} EARSHOT_PROLIFIC_TOKEN={TOKEN} ./run")
            self.stdout.write("and with the --data and --port that it has otherwise.")
            self.stdout.write(f"Look at what it holds, and give places back, at {url}/")
            for name in sorted(account.studies):
                self.stdout.write(f"Link this study under Payments: {name}")
            if not account.studies:
                self.stdout.write(
                    "Nobody has come from Prolific yet. Once somebody has, Payments offers their study to link."
                )
            self.stdout.flush()
            try:
                httpd.serve_forever()
            except KeyboardInterrupt:
                self.stdout.write("Stopped.")
