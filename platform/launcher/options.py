"""Parse the command line of `earshot`, and of `./run` in a clone."""

from __future__ import annotations

import argparse
import ipaddress
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.paths import PROGRAM, START, default_data
from launcher import study
from launcher.say import LauncherError, WrongUse

PARTS = ("web", "worker", "beat")
DESCRIPTIONS = {
    "run": "Start Earshot on this machine: web pages, worker, broker and a demo study.",
    "doctor": "Check everything that Earshot needs, and say what to do about problems.",
}
DATA = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
DATA.add_argument("--data", type=Path, help="folder of the database, files and keys")


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8000
    demo: bool = True
    manage: tuple[str, ...] | None = None
    dnsmos: bool = False
    # The parts to start; what they share (database, broker, store) runs elsewhere unless all are started.
    parts: tuple[str, ...] = PARTS
    # How the doctor prints findings, "text" or "json"; None for every other command.
    doctor: str | None = None


def split(arguments: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Return the options before the command, the command ("" if there is none), and its arguments."""
    with_value, at = {f"--{name}" for name in ("port", "host", "data", "only")}, 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in with_value else 1
    return list(arguments[:at]), "".join(arguments[at : at + 1]), list(arguments[at + 1 :])


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Parse a command line of `run`, `doctor`, `manage` or `study`."""
    own, command, rest = split(arguments)
    manage: tuple[str, ...] | None = None
    if command == "manage":
        manage = tuple(rest)
    elif command == "study":
        # Before or after the name: no management command has an option --data.
        chosen, rest = DATA.parse_known_args(rest)
        own += [] if chosen.data is None else ["--data", str(chosen.data)]
        manage = study.management(rest)
    elif command in ("", "run", "doctor"):
        own += rest
    else:
        # The value of an option that doesn't exist.
        own, command = list(arguments), "run"
    values = parser(command or "run").parse_args(own)
    if not 1 <= values.port <= 65535:
        raise WrongUse(f"There is no port {values.port}; choose one from 1024 to 65535.")
    data = values.data or Path(environ.get("EARSHOT_DATA") or default_data())
    parts = tuple(part for part in PARTS if part in (values.only or PARTS))
    if values.only and not {"EARSHOT_BROKER_URL", "EARSHOT_BROKER_URL_FILE"} & set(environ):
        raise LauncherError("With --only, the parts need a broker that all of them share: set EARSHOT_BROKER_URL.")
    return Options(
        data=data.expanduser().resolve(),
        host=values.host,
        port=values.port,
        demo=not values.no_demo and parts == PARTS,
        manage=manage,
        dnsmos=values.with_dnsmos,
        parts=parts,
        doctor=("json" if values.json else "text") if command == "doctor" else None,
    )


def parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of the launcher's own options of a command."""
    made = argparse.ArgumentParser(
        prog=START if command == "run" else f"{PROGRAM} {command}",
        description=DESCRIPTIONS.get(command),
        parents=[DATA],
        allow_abbrev=False,
    )
    made.add_argument("--port", type=int, default=8000, help="port of the web pages (8000)")
    made.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: only this machine)")
    made.add_argument("--with-dnsmos", action="store_true", help="have what scoring clips by DNSMOS needs (350 MB)")
    made.add_argument("--no-demo", action="store_true", help="start without the demo study")
    made.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="start only this part; the others run on another machine (can be repeated)",
    )
    if command == "doctor":
        made.add_argument("--json", action="store_true", help="print one JSON object a line")
    return made


def locks(options: Options) -> list[str]:
    """Return the locks to install: some commands need more packages than the pages."""
    commands = options.manage
    starts_demo = options.demo and options.doctor is None
    needs_demo = starts_demo if commands is None else "seed_demo" in commands
    needs_dnsmos = options.dnsmos or "score_dnsmos" in (commands or ())
    return ["run", *["demo"] * needs_demo, *["dnsmos"] * needs_dnsmos]


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def environ_of_process() -> dict[str, str]:
    """Return this process's environment without the variables that only started it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
