"""The address of the pages: opened before anything slow starts, and shared by the web processes."""

from __future__ import annotations

import errno
import socket

from core.paths import START
from launcher.say import LauncherError

# Clients that may wait while no web process accepts them.
BACKLOG = 1024


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this address; raise `LauncherError` if that is impossible."""
    try:
        [found, *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return socket.create_server(found[4], family=found[0], backlog=BACKLOG)
    except OSError as error:
        raise LauncherError(reason(error, host, port)) from error


def reason(error: OSError, host: str, port: int) -> str:
    """Return a sentence that says why an address can't be used."""
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else port - 1
        return (
            f"Port {port} on {host} is in use by another program (perhaps another Earshot). "
            f"Stop it, or choose another port: {START} --port {other}"
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs more rights than this account has. Choose one above 1023: {START} --port 8000"
    return f"Can't listen on {host} port {port}: {error.strerror}. Choose an address of this machine with --host."
