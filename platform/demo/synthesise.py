"""Make the demo's clips and their manifest: `python -m demo.synthesise FOLDER`, a process of its own."""

from __future__ import annotations

import csv
import sys
import wave
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from demo.espeak import Espeak, Samples, SpeechError
from demo.flaws import FLAWS
from demo.material import BROKEN, FLAWED_TRAPS, HUMAN_TRAPS, LANGUAGE, STAND_IN, SYSTEMS, TEXTS, WHITE_TEXTS, Voice

COLUMNS = ("file", "system", "voice", "role", "text_id", "dimension", "language", "box", "domain", "text")
MISSING = 3
PEAK = 0.7


@dataclass(frozen=True, slots=True)
class Planned:
    """A clip to synthesise."""

    voice: Voice
    role: str
    text_id: str
    text: str
    dimension: str = ""
    flaw: str = ""
    box: str = ""

    @property
    def file(self) -> str:
        folder = self.voice.system if self.role == "test" else self.role
        return f"{folder}/{self.text_id}.wav"

    def row(self) -> dict[str, str]:
        """Return this clip's line of the manifest."""
        return {
            "file": self.file,
            "system": self.voice.system,
            "voice": self.voice.label,
            "role": self.role,
            "text_id": self.text_id,
            "dimension": self.dimension,
            "language": LANGUAGE,
            "box": self.box,
            "domain": "human" if self.voice is STAND_IN else "open",
            "text": self.text,
        }


def plan() -> Iterator[Planned]:
    """Yield every clip of the demo: each text by each voice, then the traps."""
    for dimension, texts in TEXTS.items():
        for number, text in enumerate(texts, 1):
            box = "white" if number <= WHITE_TEXTS else "black"
            for voice in (STAND_IN, *SYSTEMS):
                yield Planned(voice, "test", f"{dimension}-{number}", text, dimension, box=box)
    for number, text in enumerate(HUMAN_TRAPS, 1):
        yield Planned(STAND_IN, "trap_human", f"aside-{number}", text)
    for number, (flaw, text) in enumerate(FLAWED_TRAPS.items(), 1):
        yield Planned(BROKEN, "trap_flawed", f"extra-{number}", text, flaw=flaw)


def sound(espeak: Espeak, planned: Planned) -> Samples:
    """Synthesise a planned clip, distort it if it is a flawed trap, and normalise its peak."""
    voice = replace(planned.voice, pace=420, pitch_range=0) if planned.flaw == "rushed" else planned.voice
    samples = espeak.say(planned.text, voice)
    if planned.flaw:
        samples = FLAWS[planned.flaw](samples, espeak.rate)
    return samples * (PEAK / max(float(np.abs(samples).max()), 1e-9))


def write(path: Path, samples: Samples, rate: int) -> None:
    """Write one channel of 16-bit samples."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", "not compressed"))
        file.writeframes(np.round(samples * 32767).astype("<i2").tobytes())


def synthesise(folder: Path) -> int:
    """Make all clips and manifest.csv in `folder`; return how many. Takes about a second."""
    espeak = Espeak()
    planned = list(plan())
    for clip in planned:
        write(folder / clip.file, sound(espeak, clip), espeak.rate)
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, COLUMNS)
        rows.writeheader()
        rows.writerows(clip.row() for clip in planned)
    return len(planned)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("Name the folder for the clips: python -m demo.synthesise FOLDER\n")
        return 2
    try:
        count = synthesise(Path(arguments[0]))
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error.name} is not installed.\n")
        return MISSING
    except (SpeechError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{count}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
