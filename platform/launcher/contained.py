"""The parent of a container's one process, or of its web processes, which restarts what dies or hangs.

`python -m launcher.contained [--listen HOST:PORT] NAME COMMAND…` passes a request to stop on and ends with it. Docker
restarts what ended, but neither what hangs nor what is only unhealthy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from launcher import ports
from launcher.children import Child, web
from launcher.interrupts import Interrupts
from launcher.say import LauncherError, line
from launcher.supervisor import Supervisor

# Less than the container's own time to stop.
PATIENCE = 25.0


def main() -> int:
    """Run the command until asked to stop; return 1 if it dies again and again."""
    parser = argparse.ArgumentParser(prog="launcher.contained")
    parser.add_argument("--listen", metavar="HOST:PORT", help="open this address for as many web processes as are set")
    parser.add_argument("name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    interrupts = Interrupts()
    interrupts.listen()
    supervisor = Supervisor(None, dict(os.environ), interrupts)
    try:
        for child in children(chosen.name, tuple(chosen.command), chosen.listen):
            supervisor.start(child)
        while True:
            supervisor.look_after()
            time.sleep(0.5)
    except LauncherError as problem:
        line(str(problem))
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        supervisor.stop()


def children(name: str, command: tuple[str, ...], address: str | None) -> list[Child]:
    """Return the process, or the web processes that answer at an address."""
    # Of this container alone, or of this parent alone outside of one.
    folder = Path(tempfile.mkdtemp(prefix="earshot-alive-"))
    if address is None:
        return [Child(name, command, PATIENCE, folder / f"{name}.alive")]
    host, _, port = address.rpartition(":")
    return web(ports.listen(host, int(port)), folder, command, os.environ)


if __name__ == "__main__":
    sys.exit(main())
