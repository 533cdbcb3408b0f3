"""Write clips of tones and their manifest into the folder named: something to rate where there is no speech."""

from __future__ import annotations

import csv
import math
import struct
import sys
import wave
from pathlib import Path

RATE, SECONDS = 16_000, 0.6


def main(folder: Path) -> None:
    """Make four texts of ten systems and people, and traps enough for some batches."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        *(("test", system, text) for text in range(40) for system in ("human", "alpha", "beta")),
        *(("trap_flawed", "broken", 100 + number) for number in range(6)),
        *(("trap_human", "human", 200 + number) for number in range(12)),
    ]
    with (folder / "manifest.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(("file", "system", "role", "text_id"))
        for number, (role, system, text) in enumerate(rows):
            name = f"{number:03}.wav"
            tone(folder / name, 200 + 3 * number)
            lines.writerow((name, system, role, f"text-{text}"))


def tone(path: Path, hertz: float) -> None:
    """Write a quiet tone."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        at = (math.sin(2 * math.pi * hertz * n / RATE) for n in range(int(RATE * SECONDS)))
        file.writeframes(b"".join(struct.pack("<h", int(6000 * value)) for value in at))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
