"""oTree's processes on a database of their own, serving the listening test of `tests/bench/otree`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import wave
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.bench.stage import Stage
from tests.servers import Processes, listens, until

VERSION = "6.0.15"
PACKAGES = (f"otree=={VERSION}", "psycopg2-binary==2.9.13")
PROJECT = Path(__file__).parent / "otree"
CLIPS = 100


def python_with_otree(folder: Path) -> str:
    """Make a virtual environment with oTree and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    interpreter = folder / "bin" / "python"
    subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return str(interpreter)


class OTreeStage(Stage):
    """`otree prodserver` as it is: one process that takes one request at a time, and one that enforces timeouts."""

    def __init__(self, database: str, folder: Path, *, interpreter: str, seconds: float) -> None:
        super().__init__(database, folder, interpreter=interpreter)
        project = folder / "project"
        shutil.copytree(PROJECT, project)
        clips = project / "_static" / "clips"
        clips.mkdir(parents=True)
        for number in range(CLIPS):
            with wave.open(str(clips / f"{number}.wav"), "wb") as clip:
                clip.setnchannels(1)
                clip.setsampwidth(2)
                clip.setframerate(24_000)
                clip.writeframes(bytes(2 * round(seconds * 24_000)))
        # It runs its own command by name.
        programs = Path(interpreter).parent
        own = {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "PYTHON"))}
        environment = {
            **own,
            "PATH": f"{programs}{os.pathsep}{own['PATH']}",
            "DATABASE_URL": urlunsplit(urlsplit(database)._replace(scheme="postgresql")),
            "OTREE_PRODUCTION": "1",
            "OTREE_AUTH_LEVEL": "STUDY",
            "OTREE_ADMIN_PASSWORD": "of a benchmark",
        }
        self.processes = Processes(environment, folder, root=project, interpreter=interpreter)
        self.otree = str(programs / "otree")

    def create(self) -> None:
        """Make the database afresh, with oTree's tables."""
        self.make_database()
        self.processes.start(self.otree, "resetdb", "--noinput").finish()

    def invite(self, count: int) -> str:
        """Make a session for so many participants, and return the code of its link."""
        self.processes.start(self.otree, "create_session", "listening", str(count)).finish()
        with self.connect(self.name) as connection:
            row = connection.execute("SELECT _anonymous_code FROM otree_session ORDER BY id DESC LIMIT 1").fetchone()
        assert row is not None
        return str(row[0])

    def serve(self, *, worker: bool) -> None:
        """Start the web server; its own second process comes with it."""
        del worker
        self.children["web"] = self.processes.start(self.otree, "prodserver", f"127.0.0.1:{self.port}")
        until(lambda: listens(self.port), "oTree doesn't listen", alive=self.children["web"])

    def count(self, acknowledged: list[str]) -> dict[str, Any]:
        """Compare acknowledged answers with stored ones: each reason ends with the answer's own key."""
        with self.connect(self.name) as connection:
            rows = connection.execute("SELECT reason FROM listening_player WHERE reason IS NOT NULL").fetchall()
        stored = Counter(reason.split()[-1] for (reason,) in rows)
        return {
            "acknowledged": len(acknowledged),
            "stored": stored.total(),
            "lost": len(set(acknowledged) - set(stored)),
            "doubled": len(acknowledged) - len(set(acknowledged)) + stored.total() - len(stored),
            "stored, not acknowledged": len(set(stored) - set(acknowledged)),
        }
