"""Findings of checks, which processes exchange as JSON, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Finding:
    """The result of one check: its name, its state, a message, and what to do."""

    name: str
    state: str
    message: str
    remedy: str = ""

    def as_line(self) -> str:
        """Return the finding as text for people."""
        head = f"{self.state:<8} {self.name}: {self.message}"
        return f"{head}\n         → {self.remedy}" if self.remedy else head

    def as_json(self) -> str:
        """Return the finding as JSON for programs."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read(output: str) -> Iterator[Finding]:
    """Yield the findings in the output of a process."""
    for line in output.splitlines():
        if line.startswith("{"):
            yield Finding(**json.loads(line))


def problems(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are problems."""
    return [finding for finding in findings if finding.state == PROBLEM]
