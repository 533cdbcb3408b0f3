"""The socket on which nginx reports the bytes that it sent: opened by the server, read by each web process."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from django.db import close_old_connections

# Longer than any report; what follows is cut off.
LONGEST = 1024
# Inherited by the web processes; each report reaches one of them.
listener: socket.socket | None = None


def listen(path: Path) -> None:
    """Open the socket; only this account may write to it, so that nobody else can report."""
    global listener
    path.unlink(missing_ok=True)
    mask = os.umask(0o177)
    try:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(str(path))
        listener.setblocking(False)
    finally:
        os.umask(mask)


def note(report: bytes) -> None:
    """Count what a report says, outside any request."""
    from raters.rating import nginx

    try:
        nginx.note(report)
    finally:
        close_old_connections()
