"""The way of `./check`, from an empty machine to one line of counts."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from launcher import environment
from launcher.say import LauncherError, line
from tests.check import judge, postgres, programs, steps, suite
from tests.check.suite import Counts

PARTS = {
    "postgres": "the tests on PostgreSQL",
    "browser": "the tests in Chromium",
    "engines": "the tests in Firefox and WebKit (run by --all)",
    "s3": "the tests on an S3-compatible store",
    "broker": "the tests with a real broker",
    "nginx": "the tests behind a real nginx",
    "pgbouncer": "the tests behind a real PgBouncer",
    "ffmpeg": "the tests of formats that need ffmpeg",
    "judge": "the tests of the judge's own process (run by --all)",
}
# Run by themselves, in an environment that only --all makes.
APART = {"judge"}
# Every page as every role, for minutes: once, on the stricter database.
CRAWLS = ("--ignore=tests/roles",)
# The browser's tests meet the database as other tests do: once is enough. Those without any leave themselves out.
ONCE = ("--ignore=tests/launcher", "--ignore=tests/browser", "--ignore=tests/engines")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="./check", description="Check everything; the last line counts the tests.")
    parser.add_argument("--all", action="store_true", help="also the tests that take minutes")
    parser.add_argument("--without", action="append", choices=sorted(PARTS), default=[], help="leave a part out")
    parser.add_argument("--fast", action="store_true", help="code checks, and tests on SQLite without processes")
    parser.add_argument("pytest", nargs="*", help="behind --: arguments for pytest, such as -k pool")
    return parser.parse_args()


def main() -> int:
    """Check everything, say what was left out, and return 0 when all of it is well."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    chosen, began = arguments(), time.monotonic()
    # Dozens of processes follow; each would compile again what one may keep for all.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        environment.prepare(["check", "demo"])
        line("Code")
        failed = steps.run_all()
        counts = tests(chosen)
    except LauncherError as problem:
        line(str(problem))
        return 1
    except KeyboardInterrupt:
        line("Stopped.")
        return 130
    for title in failed:
        line(f"Failed: {title}")
    for name in left_out(chosen):
        line(f"Left out: {PARTS[name]}.")
    is_well = not failed and not counts.failed
    line(f"{'All is well' if is_well else 'Something is wrong'} after {time.monotonic() - began:.0f} s.")
    line(str(counts))
    return 0 if is_well else 1


def left_out(chosen: argparse.Namespace) -> list[str]:
    """Return the parts that are not checked."""
    return sorted(PARTS) if chosen.fast else sorted(set(chosen.without))


def tests(chosen: argparse.Namespace) -> Counts:
    """Run the suite on each database."""
    without = left_out(chosen)
    dropped = [*without, *(["processes"] if chosen.fast else []), *([] if chosen.all else ["slow", "engines"])]
    required = ",".join(sorted({*PARTS, "processes"} - set(dropped) - APART))
    marks = " and ".join(f"not {name}" for name in sorted({*dropped, *APART}))
    common = ["-m", marks, f"--require={required}", *chosen.pytest]
    environ = {} if "browser" in without else {"EARSHOT_TEST_CHROMIUM": programs.chromium()}
    if "ffmpeg" not in without:
        programs.ffmpeg()
    if "nginx" not in dropped and "processes" not in dropped:
        programs.nginx()
    if not {"pgbouncer", "postgres", "processes"} & set(dropped):
        programs.pgbouncer()
    if "engines" not in dropped:
        programs.engines()
    where = None if "postgres" in without else programs.postgres()
    with_judge = chosen.all and "judge" not in without
    with ThreadPoolExecutor(1) as threads:
        # Downloads and copies for minutes, while the tests compute.
        made = threads.submit(judge.prepare) if with_judge else None
        counts = on_databases(environ, common, where)
        if made is not None:
            made.result()
            counts += judge.check()
    return counts


def on_databases(environ: dict[str, str], common: list[str], where: Path | None) -> Counts:
    """Run the suite on SQLite, and those tests that ask for a database on PostgreSQL where there is one."""
    counts = suite.run("SQLite", environ, [*(CRAWLS if where is not None else ()), *common])
    if where is not None:
        with postgres.running(where) as address:
            told = {**environ, "EARSHOT_TEST_DATABASE_URL": address}
            counts += suite.run("PostgreSQL, those that ask for a database", told, [*ONCE, *common])
    return counts


if __name__ == "__main__":
    sys.exit(main())
