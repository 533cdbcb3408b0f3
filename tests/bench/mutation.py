"""Plant faults in the code one by one, and count those that its tests catch.

    .venv/bin/uv pip install --group mutation
    .venv/bin/python -m tests.bench.mutation rules services jobs [--sample 100] [--seed 1] [--only TEXT]

Cosmic Ray makes the faults (another operator, a number more or less, a loop that never runs, …) in a copy of the
working tree. `rules` are pure; `services` settle, claim, pay, export and permit; `jobs` draft, audit, share and show. A
seeded sample of all faults is tried, each on the tests that run its line. Survivors are printed as diffs, so that a
person can say which of them change nothing. Annotations are left out: nothing reads them at run time.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome
from coverage import CoverageData

from tests.bench.stage import say

ROOT = Path(__file__).resolve().parents[2]
# Modules, and the folders whose tests are tried on them.
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rules": (
        ("studies/rules/*.py", "raters/rating/rules/*.py", "raters/*/rules.py"),
        (
            "tests/studies/rules",
            "tests/studies/definition",
            "tests/studies/pool",
            "tests/studies/spot_checks",
            "tests/studies/task_types",
            "tests/raters/rating",
            "tests/raters/experts",
            "tests/analysis/planning",
        ),
    ),
    "services": (
        (
            "raters/rating/settling.py",
            "raters/rating/batches.py",
            "raters/rating/drawing.py",
            "raters/rating/sides.py",
            "raters/rating/trust.py",
            "studies/pool/claiming.py",
            "raters/payments/sending.py",
            "raters/payments/payment_lists.py",
            "raters/payments/access.py",
            "studies/decisions/access.py",
            "analysis/exports/ratings.py",
            "analysis/data/hiding.py",
            "platform/accounts/api/access.py",
        ),
        (
            "tests/studies/pool",
            "tests/raters/rating",
            "tests/raters/payments",
            "tests/raters/experts",
            "tests/raters/sessions/test_outcomes.py",
            "tests/analysis/data",
            "tests/analysis/exports",
            "tests/api/test_access.py",
        ),
    ),
    "jobs": (
        (
            "studies/drafting/*.py",
            "studies/corpus/*.py",
            "studies/audit/*.py",
            "studies/members/*.py",
            "studies/decisions/*.py",
            "studies/summaries/*.py",
            "analysis/live/*.py",
            "raters/previews/*.py",
            "raters/pilots/*.py",
            "platform/accounts/uploads/*.py",
        ),
        (
            "tests/studies/drafting",
            "tests/studies/corpus",
            "tests/studies/audit",
            "tests/studies/members",
            "tests/studies/decisions",
            "tests/studies/summaries",
            "tests/studies/imports",
            "tests/studies/spot_checks",
            "tests/studies/test_clip_labels.py",
            "tests/studies/test_upload_parts.py",
            "tests/raters/previews",
            "tests/raters/experts",
            "tests/analysis/live",
            "tests/api",
            "tests/workspace",
        ),
    ),
}
FAST = "not browser and not processes and not s3 and not slow"
MOST_SECONDS = 300

Lines = dict[str, dict[int, list[str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="+", choices=GROUPS)
    parser.add_argument("--sample", type=int, default=100, help="how many faults to try in each group; 0 tries all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only modules whose path holds this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="earshot-mutation-") as folder:
        copy = Path(folder).resolve() / "tree"
        copy_tree(copy)
        # Python looks here first; a compiled file of the same second and size would hide a fault.
        os.chdir(copy)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for group in options.groups:
            modules = modules_of(group, options.only)
            tests = tests_by_line(modules, GROUPS[group][1])
            faults = [fault for path in modules for fault in faults_in(path)]
            sample = random.Random(options.seed).sample(faults, min(options.sample or len(faults), len(faults)))
            tried: Counter[str] = Counter()
            caught: Counter[str] = Counter()
            for fault in sample:
                path = str(fault.module_path)
                tried[path] += 1
                caught[path] += is_caught(fault, tests[path])
            for path in sorted(tried):
                say(f"{caught[path]} of {tried[path]} caught in {path}")
            say(f"{group}: {caught.total()} of {tried.total()} caught; {len(faults)} faults, seed {options.seed}")


def modules_of(group: str, text: str) -> list[str]:
    return sorted(str(path) for pattern in GROUPS[group][0] for path in Path().glob(pattern) if text in str(path))


def is_caught(fault: MutationSpec, known: dict[int, list[str]]) -> bool:
    """Plant a fault, run the tests of its line, and take it out again."""
    # What runs while a module is imported (constants, signatures) can concern each of its tests.
    tests = list(known.get(fault.start_pos[0]) or {test for each in known.values() for test in each})
    # A module's own tests first: they are quick, and the first that fails ends the run.
    stem, folder = fault.module_path.stem, str(Path("tests") / fault.module_path.parent)
    tests.sort(key=lambda test: (stem not in test, -len(os.path.commonpath([test, folder])), test))
    where = f"{fault.module_path}:{fault.start_pos[0]} ({len(tests)} tests)"
    if not tests:
        say(f"SURVIVED {where}")
        return False
    result = mutate_and_test([fault], pytest(tests), MOST_SECONDS)
    if result.test_outcome == TestOutcome.SURVIVED:
        say(f"SURVIVED {where}\n{result.diff}")
        return False
    say(f"caught {where}")
    return True


def copy_tree(target: Path) -> None:
    """Copy what git knows of the working tree, as it is now."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def pytest(arguments: Sequence[str]) -> str:
    """Return what runs tests up to the first that fails, without those that need more than a database."""
    return shlex.join([sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", FAST, *arguments])


def tests_by_line(modules: Sequence[str], folders: Sequence[str]) -> Lines:
    """Return {module: {line: tests that run it}}; ends the program when a test fails before any fault is planted."""
    Path("mutation.ini").write_text("[run]\ninclude =\n" + "".join(f"    {path}\n" for path in modules))
    measured = [*folders, "-n2", "--cov", "--cov-context=test", "--cov-config=mutation.ini", "--cov-report="]
    if subprocess.run(shlex.split(pytest(measured)), check=False).returncode:
        sys.exit("A test fails before any fault is planted.")
    data = CoverageData()
    data.read()
    lines: Lines = {}
    for path in modules:
        contexts = data.contexts_by_lineno(str(Path(path).resolve()))
        lines[path] = {
            line: sorted({name.partition("|")[0] for name in names if name}) for line, names in contexts.items()
        }
    return lines


def faults_in(path: str) -> Iterator[MutationSpec]:
    """Yield the faults that can be planted in a module, without those in annotations."""
    spans = list(annotation_spans(ast.parse(Path(path).read_text())))
    with use_db("session.sqlite", WorkDB.Mode.create) as session:
        init([path], session, {})
        for item in session.work_items:
            fault = item.mutations[0]
            if not any(start <= tuple(fault.start_pos) < end for start, end in spans):
                yield fault


def annotation_spans(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where annotations begin and end, as (line, column)."""
    for node in ast.walk(tree):
        for each in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(each, ast.expr) and each.end_lineno is not None and each.end_col_offset is not None:
                yield (each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset)


if __name__ == "__main__":
    main()
