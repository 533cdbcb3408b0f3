"""Check that an address can be used before anything slow starts."""

from __future__ import annotations

import errno
import socket

from launcher.say import LauncherError


def require_free(host: str, port: int) -> None:
    """Raise `LauncherError` if no process can listen on this address."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            # Detects a listener that was also opened with SO_REUSEADDR.
            probe.listen(1)
    except OSError as error:
        raise LauncherError(reason(error, host, port)) from error


def reason(error: OSError, host: str, port: int) -> str:
    """Return a sentence that says why an address can't be used."""
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else port - 1
        return (
            f"Port {port} on {host} is in use by another program (perhaps another ./run). "
            f"Stop it, or choose another port: ./run --port {other}"
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs more rights than this account has. Choose one above 1023: ./run --port 8000"
    return f"Can't listen on {host} port {port}: {error.strerror}. Choose an address of this machine with --host."
