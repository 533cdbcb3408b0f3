"""Pin the dependencies of a wheel to the versions of the locks, with which the tests ran."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LOCKS = Path(__file__).resolve().parents[1] / "locks"


class Pins(MetadataHookInterface):
    """A wheel brings what `./run` installs at its first start; the demo's synthesiser is among it."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = sorted({*pins("run"), *pins("demo")})
        metadata["optional-dependencies"] = {"dnsmos": pins("dnsmos")}


def pins(lock: str) -> list[str]:
    """Return the requirements of a lock, without its hashes, for which a wheel has no place."""
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in re.findall(r"^([a-z0-9][^\\\n]*)", text, re.MULTILINE)]
