"""What a check found, in the form that processes hand to one another: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Finding:
    """One line of a diagnosis: what was checked, how it is, and what to do about it."""

    name: str
    state: str
    message: str
    remedy: str = ""

    def as_line(self) -> str:
        """Return the finding as a person reads it."""
        head = f"{self.state:<8} {self.name}: {self.message}"
        return f"{head}\n         → {self.remedy}" if self.remedy else head

    def as_json(self) -> str:
        """Return the finding as a program reads it."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read(output: str) -> Iterator[Finding]:
    """Yield the findings among the lines that a process printed."""
    for line in output.splitlines():
        if line.startswith("{"):
            yield Finding(**json.loads(line))


def problems(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with which Earshot can't work."""
    return [finding for finding in findings if finding.state == PROBLEM]
