"""Stop the children if the supervisor died without stopping them, even after kill -9.

It reads process groups from the supervisor's pipe, `+123` for a started and `-123` for an ended one. The end of the
pipe means that the supervisor is no more.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

PATIENCE = 5.0


def main() -> None:
    """Wait for the end of the pipe, then stop every group that is left."""
    # Ignore Ctrl-C: the supervisor handles it and then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stop(groups(sys.stdin))


def groups(lines: Iterable[str]) -> set[int]:
    """Return the groups that were started and have not ended."""
    alive: set[int] = set()
    for line in lines:
        number = int(line[1:])
        if line.startswith("+"):
            alive.add(number)
        else:
            alive.discard(number)
    return alive


def stop(alive: set[int]) -> None:
    """Ask every group to end, then kill those that are left."""
    for number in alive:
        send(number, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while any(send(number, 0) for number in alive) and time.monotonic() < deadline:
        time.sleep(0.1)
    for number in alive:
        send(number, signal.SIGKILL)


def send(group: int, number: int) -> bool:
    """Send a signal to a group; False when nobody is left in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
