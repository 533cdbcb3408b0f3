"""The processes that make up a running Earshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from launcher import broker, settings
from launcher.environment import PYTHON
from launcher.options import Options

# Without the banner, which is no log line.
CELERY = (str(PYTHON), "-m", "celery", "--quiet", "-A", "config.celery")


@dataclass(frozen=True)
class Child:
    """A process and the name by which people know it."""

    name: str
    command: tuple[str, ...]
    # Seconds that it may take to stop before it is killed.
    patience: float = 10.0
    # A file that it touches every few seconds, by which one that hangs is noticed.
    alive: Path | None = None


def children(options: Options, environ: Mapping[str, str]) -> list[Child]:
    """Return the processes in the order in which they start; they stop in the opposite order."""
    processes: dict[str, Child] = {}
    if not settings.has_own_broker(environ):
        processes["broker"] = Child("broker", broker.command(options.data))
    workers = environ.get("EARSHOT_WORKERS") or "2"
    worker = ("worker", f"--concurrency={workers}", "--loglevel=WARNING", "--without-gossip", "--without-mingle")
    processes["worker"] = Child("worker", (*CELERY, *worker), patience=20.0, alive=options.data / "worker.alive")
    processes["beat"] = Child(
        "beat", (*CELERY, "beat", "--loglevel=WARNING", "--pidfile="), alive=options.data / "beat.alive"
    )
    address = f"[{options.host}]" if ":" in options.host else options.host
    gunicorn = (str(PYTHON), "-m", "gunicorn", "--config=python:config.gunicorn", f"--bind={address}:{options.port}")
    processes["web"] = Child("web", (*gunicorn, "config.wsgi"))
    return [child for name, child in processes.items() if name in ("broker", *options.parts)]


def log_of(data: Path, child: Child) -> Path:
    """Return the path of a child's log."""
    return data / "logs" / f"{child.name}.log"
