"""Each engine next to another program on published examples: `python -m tests.bench.engines --python PYTHON`.

Runs `tests/bench/examples/reference.R` and `reference.py`: needs Rscript with lme4, lmerTest, ordinal, BradleyTerry2,
clubSandwich, psych, psyphy and rjags, and a Python with krippendorff and sureal. Where they are missing,
the stored values are compared, and a line says so. Prints a Markdown table; ends with 1 if a difference is beyond its
bound. `--store` replaces the stored values, which a test compares, too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.bench.examples import FOLDER, Reference, references, stored
from tests.bench.examples.earshot import EXAMPLES, Example
from tests.bench.stage import say


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity by Earshot and by a reference."""

    engine: str
    example: str
    quantity: str
    value: float
    reference: Reference
    bound: float

    @property
    def difference(self) -> float:
        return abs(self.value - self.reference.value)

    @property
    def is_within(self) -> bool:
        return self.difference <= self.bound

    def __str__(self) -> str:
        own, other = f"{self.value:.7g}", f"{self.reference.value:.7g} | {self.reference.by}"
        apart = f"{self.difference:.2g} | {self.bound:.2g}"
        return f"| {self.engine} | {self.example} | {self.quantity} | {own} | {other} | {apart} |"


def compared(example: Example, known: dict[tuple[str, str], Reference]) -> Iterator[Row]:
    """Yield a row for each quantity of an example; KeyError if a reference is unknown."""
    for quantity, value in example.values().items():
        reference = known[example.name, quantity]
        bound = example.largest(quantity, reference.value)
        yield Row(example.engine, example.name, quantity, value, reference, bound)


def output(*command: str) -> str:
    """Return what a reference's program prints; nothing if it can't run."""
    try:
        return subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        why = getattr(problem, "stderr", None) or str(problem)
        say(f"Stored values instead of `{' '.join(command)}`: {why.strip().splitlines()[-1]}")
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="an interpreter with the packages of reference.py")
    parser.add_argument("--store", action="store_true", help="replace the stored values")
    asked = parser.parse_args()
    printed = output("Rscript", "reference.R") + output(asked.python, "reference.py")
    if asked.store:
        (FOLDER / "reference.csv").write_text(printed, encoding="utf-8")
    known = stored() | references(printed)
    rows = [row for example in EXAMPLES for row in compared(example, known)]
    say("| engine | example | quantity | Earshot | reference | by | difference | bound |")
    say("|---|---|---|---|---|---|---|---|")
    for row in rows:
        say(str(row))
    say("")
    for name, source in dict.fromkeys((example.name.split(":")[0], example.source) for example in EXAMPLES):
        say(f"- *{name}*: {source}")
    beyond = [row for row in rows if not row.is_within]
    sys.exit(f"{len(beyond)} of {len(rows)} differences are beyond their bounds." if beyond else 0)


if __name__ == "__main__":
    main()
