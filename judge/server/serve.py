"""Running the server: one process per device, until it is stopped or the device fails."""

from __future__ import annotations

import ipaddress
import os
import signal
from pathlib import Path

import uvicorn

from judge.problems import Misconfigured
from judge.server.app import Service

DRAIN_SECONDS = 120
# Exit status that makes supervisors restart the process, with a working device.
DEVICE_FAILED = 70


def serve(service: Service, *, host: str, port: int) -> int:
    """Serve until SIGTERM or SIGINT, answer pending clips, and return the exit status."""
    config = uvicorn.Config(
        service.app(), host=host, port=port, log_level="warning", access_log=False,
        timeout_graceful_shutdown=DRAIN_SECONDS, server_header=False,
    )  # fmt: skip
    server = uvicorn.Server(config)

    def stop() -> None:
        server.should_exit = True

    service.batcher.on_broken = stop
    # uvicorn raises the signal again at its end, after all requests were answered.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    server.run()
    return DEVICE_FAILED if service.batcher.is_broken else 0


def token_for(host: str) -> str:
    """Return the token from the environment; raises `Misconfigured` without one if other machines can connect."""
    file = os.environ.get("EARSHOT_JUDGE_TOKEN_FILE")
    token = Path(file).read_text(encoding="utf-8").strip() if file else os.environ.get("EARSHOT_JUDGE_TOKEN", "")
    if not token and not is_loopback(host):
        raise Misconfigured(
            f"With --host {host} other machines can ask. Set EARSHOT_JUDGE_TOKEN to a long random text first, for "
            "example one that 'openssl rand -hex 32' prints, and give the platform the same."
        )
    return token


def is_loopback(host: str) -> bool:
    """True if only this machine can reach `host`."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
