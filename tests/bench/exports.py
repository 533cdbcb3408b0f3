"""What a large export costs: `python -m tests.bench.exports --ratings 1000000`.

A study of so many ratings in a SQLite file of its own, exported by a process of its own as CSV with JSON lines and as
Parquet: seconds, the seconds until the first row is ready, and memory over what the idle process has. To see that the
memory does not grow with the rows, a tenth of them is exported first.

In an environment of your own, such as that of a PostgreSQL database which `tests.bench.seeding` filled, export what is
there by `--step csv --out FOLDER`; then the CPU seconds of the database's process are counted, too.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.bench.stage import busy_seconds, others, own_seconds_of, say, stamp

EACH = 200  # ratings of a session
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    parser.add_argument("--step", choices=["seed", "csv", "parquet"], help="one step, in the environment of the bench")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.step == "seed":
        seed(asked.ratings // EACH)
    elif asked.step:
        say(json.dumps(export(asked.step, asked.out)))
    else:
        compare(asked.ratings)


def compare(ratings: int) -> None:
    """Seed and export a tenth, then all."""
    for size in (ratings // 10, ratings):
        with tempfile.TemporaryDirectory(prefix="earshot-bench-") as folder:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT_")} | {
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "EARSHOT_SECRET_KEY": secrets.token_hex(32),
                "EARSHOT_DATA": folder,
                "EARSHOT_LOG_LEVEL": "WARNING",
                "PYTHONPATH": f".{os.pathsep}platform",
            }
            run(environment, "manage.py", "migrate", "--noinput", "--verbosity=0")
            run(environment, "-m", "tests.bench.exports", "--step=seed", f"--ratings={size}")
            for step in ("csv", "parquet"):
                busy, began = busy_seconds(), time.monotonic()
                out = Path(folder) / step
                found = json.loads(
                    run(environment, "-m", "tests.bench.exports", f"--step={step}", f"--out={out}").splitlines()[-1]
                )
                rest = others(found["cpu_seconds"], time.monotonic() - began, busy)
                say(f"{stamp()} {size} ratings, {step}: {json.dumps(found)}; {rest}")


def run(environment: dict[str, str], *command: str) -> str:
    """Run a program of Python in this environment and return what it printed."""
    done = subprocess.run([sys.executable, *command], env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def seed(sessions: int) -> None:
    """Make one session with all its answers by the ORM, then copies of it inside the database."""
    import django

    django.setup()
    from django.db import connection, transaction
    from django.utils import timezone

    from core.jobs import DONE
    from core.rng import token
    from raters.models import Answer, Batch, Identity, Rater, Rating, Session, Trial, TrialClip
    from studies.models import Clip, StudyVersion
    from tests.world import make_study

    now = timezone.now()
    study = make_study(now=now, texts=EACH // 3 + 1)
    clips = list(Clip.objects.filter(study=study, role="test").order_by("pk")[:EACH])
    rater = Rater.objects.create(created_at=now)
    version = StudyVersion.objects.get(study=study)
    session = Session.objects.create(
        rater=rater, study=study, version=version, source="bench", ext_study="bench", ext_session="0", step="ended",
        outcome="complete", arrived_at=now, consented_at=now, started_at=now, ended_at=now,
    )  # fmt: skip
    for place, clip in enumerate(clips):
        if place % 10 == 0:
            number = place // 10 + 1
            batch = Batch.objects.create(
                session=session, number=number, size=10, opened_at=now, state=DONE, valid=True, ended_at=now
            )
        trial = Trial.objects.create(
            batch=batch, session=session, rater=rater, item_id=_item(clip.pk), position=place % 10 + 1, token=token(),
            shown={}, served_at=now, answered_at=now, usable=True,
        )  # fmt: skip
        heard = TrialClip.objects.create(trial=trial, clip=clip, key=token(), plays=1, play_began_at=now)
        evidence = {"clips": {heard.key: {"played": 1.0, "first_end": 3.2, "plays": 1}}}
        Answer.objects.create(
            trial=trial, idempotency=f"{place:032x}", body={"label": "human"}, evidence=evidence, at=now,
            reason=f"The pause before word {place} is too long, and the last syllable falls like a person's.",
        )  # fmt: skip
        Rating.objects.create(study=study, trial=trial, clip=clip, place=0, part="label", code="human", value=1.0)
    unique = {"ext_session": "n", "token": "hex(randomblob(11))", "key": "hex(randomblob(11))"}
    unique["idempotency"] = "lower(hex(randomblob(16)))"
    models: list[Any] = [Rater, Session, Batch, Trial, TrialClip, Answer, Rating]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE copies AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
                       f"WHERE n < {sessions - 1}) SELECT n FROM c")  # fmt: skip
        # A copy's keys are those of the first session, further on by as many rows as it has.
        shift = {f"{model._meta.model_name}_id": model.objects.count() for model in models}
        for model in models:
            names = [field.column for field in model._meta.local_concrete_fields]
            values = [value_of(model, name, shift, unique) for name in names]
            quoted = ", ".join(f'"{name}"' for name in names)
            table = model._meta.db_table
            cursor.execute(f'INSERT INTO "{table}" ({quoted}) SELECT {", ".join(values)} FROM "{table}", copies')
    assert Rating.objects.count() == sessions * EACH
    assert not Identity.objects.exists()


def _item(clip: int) -> int:
    from studies.models import Item

    return Item.objects.get(clips__clip=clip).pk


def value_of(model: Any, name: str, shift: dict[str, int], unique: dict[str, str]) -> str:
    """Return the SQL of a column of a copy."""
    own = f"{model._meta.model_name}_id"
    if name == "id":
        return f"id + n * {shift[own]}"
    if name in shift:
        return f'"{name}" + n * {shift[name]}'
    return unique.get(name, f'"{name}"')


def export(step: str, out: Path) -> dict[str, Any]:
    """Export the study, and return what it cost."""
    import django

    django.setup()
    from analysis.data.models import Simulated
    from analysis.exports import files, ratings
    from analysis.exports.models import Format
    from analysis.exports.source import Source
    from analysis.exports.writers import Parquet, Texts
    from studies.models import Study

    study, format_ = Study.objects.get(), Format(step)
    source = Source(study, Simulated.WITHOUT, format_)
    # What is loaded once, and the first page of rows, are no part of what more rows cost.
    warm = {"csv": Texts, "parquet": Parquet}[step](ratings.COLUMNS, out.with_suffix(".warm"))
    began = time.perf_counter()
    first = next(iter(ratings.rows(source)))
    warm.add({name: [value] for name, value in first.items()})
    seconds_to_first = time.perf_counter() - began
    warm.close()
    idle, peak, is_done = memory(), [0], threading.Event()

    def watch() -> None:
        while not is_done.wait(0.05):
            peak[0] = max(peak[0], memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    began, used, served = time.perf_counter(), time.process_time(), database_seconds()
    manifest = files.write(Source(study, Simulated.WITHOUT, format_), out)
    seconds, used = time.perf_counter() - began, time.process_time() - used
    is_done.set()
    watcher.join()
    name = next(name for name in manifest.files if name.startswith("ratings."))
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used, 1),
        "database_cpu_seconds": round(database_seconds() - served, 1),
        "first_row_seconds": round(seconds_to_first, 3),
        "idle_mb": round(idle / 1e6),
        "peak_over_idle_mb": round((peak[0] - idle) / 1e6, 1),
        "rows": manifest.files[name].rows,
        "ratings_mb": round(manifest.files[name].bytes / 1e6, 1),
    }


def database_seconds() -> float:
    """Return the processor seconds of PostgreSQL's process for this connection; 0 on SQLite, which has none."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    return own_seconds_of(connection.connection.info.backend_pid)


def memory() -> int:
    """Return this process's resident bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


if __name__ == "__main__":
    main()
