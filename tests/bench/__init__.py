"""How fast it is, measured over HTTP; run by hand, see docs/benchmarks.md."""

from __future__ import annotations
