"""Parse the command line of `./run`."""

from __future__ import annotations

import argparse
import ipaddress
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.paths import default_data
from launcher.say import LauncherError

PARTS = ("web", "worker", "beat")
EPILOG = """\
./run [--data DIR] manage ARGS…       run a management command on the same data, for example
                                      ./run manage changepassword admin
                                      ./run manage help
./run [--data DIR] doctor [--json]    check everything that Earshot needs, and say what to do
"""


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


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Parse the command line; everything after `manage` belongs to the management command."""
    own, manage, doctor = list(arguments), None, None
    if "manage" in own:
        at = own.index("manage")
        own, manage = own[:at], tuple(own[at + 1 :])
    if "doctor" in own:
        at = own.index("doctor")
        own, doctor = [*own[:at], *own[at + 1 :]], "text"
        if "--json" in own:
            own.remove("--json")
            doctor = "json"
    parser = argparse.ArgumentParser(
        prog="./run",
        description="Start Earshot on this machine: web pages, worker, broker and a demo study.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, default=8000, help="port of the web pages (8000)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: only this machine)")
    parser.add_argument("--data", type=Path, help="folder of the database, files and keys (./data)")
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="start only this part; the others run on another machine (can be repeated)",
    )
    parser.add_argument("--no-demo", action="store_true", help="start without the demo study")
    parser.add_argument(
        "--with-dnsmos", action="store_true", help="install what scoring clips by DNSMOS needs (350 MB)"
    )
    values = parser.parse_args(own)
    if not 1 <= values.port <= 65535:
        raise LauncherError(f"There is no port {values.port}; choose one from 1024 to 65535.")
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
        doctor=doctor,
    )


def locks(options: Options) -> list[str]:
    """Return the locks to install: some commands need more packages than the pages."""
    commands = options.manage
    needs_demo = options.demo if commands is None else "seed_demo" in commands
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
