"""The data folder: its keys, its lock, and the record of completed steps."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from launcher.say import LauncherError


def make(data: Path) -> None:
    """Make the folder, readable only by its owner."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / "logs").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise LauncherError(
            f"The data folder {data} can't be created: {error.strerror}. Choose another with --data."
        ) from error


def secret(data: Path, name: str) -> Path:
    """Return the file of a random secret, made on first use and readable only by its owner."""
    path = data / name
    if not path.exists() or not path.read_text(encoding="utf-8").strip():
        write_private(path, secrets.token_urlsafe(48) + "\n")
    return path


def write_private(path: Path, text: str) -> None:
    """Write a file that others can't read at any moment."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def lock(data: Path, parts: Iterable[str]) -> ExitStack:
    """Lock this folder against other launchers of the same parts until the returned stack is closed."""
    held = ExitStack()
    for name in parts:
        file = held.enter_context((data / f"{name}.lock").open("a", encoding="utf-8"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held.close()
            raise LauncherError(
                f"Another Earshot uses {data}. Stop it, or choose another folder with --data."
            ) from error
    return held


def is_running(data: Path) -> bool:
    """Return whether a launcher runs the web pages of this folder."""
    if not (data / "web.lock").exists():
        return False
    try:
        lock(data, ("web",)).close()
    except LauncherError:
        return True
    return False


def fingerprint(paths: Iterable[Path], *more: str) -> str:
    """Return a hash that changes with the names and the contents of `paths`."""
    digest = hashlib.sha256("\n".join(more).encode())
    for path in sorted(paths):
        digest.update(f"\n{path}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_stamps(path: Path) -> dict[str, str]:
    """Return the completed steps with their fingerprints; none if the file can't be read."""
    try:
        stamps = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in stamps.items()} if isinstance(stamps, dict) else {}


def write_stamps(path: Path, stamps: dict[str, str]) -> None:
    """Write the completed steps."""
    write_private(path, json.dumps(stamps, indent=1, sort_keys=True) + "\n")
