"""Make the clips and lists of a study of the demo: `python -m demo.synthesise FOLDER [PLAN]`, a process of its own."""

from __future__ import annotations

import csv
import sys
import wave
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from demo.espeak import Espeak, Samples, SpeechError
from demo.flaws import FLAWS
from demo.material import BROKEN, FLAWED_TRAPS, HUMAN_TRAPS, LANGUAGE, STAND_IN, SYSTEMS, TEXTS, WHITE_TEXTS, Voice
from demo.passages import GOLDEN, PASSAGES, Question

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
    benchmark: str = ""

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
            "benchmark": self.benchmark,
            "domain": self.voice.domain,
            "text": self.text,
        }


def audio_turing_test() -> Iterator[Planned]:
    """Yield each text by each voice, then the traps."""
    for dimension, texts in TEXTS.items():
        for number, text in enumerate(texts, 1):
            box = "white" if number <= WHITE_TEXTS else "black"
            for voice in (STAND_IN, *SYSTEMS):
                yield Planned(voice, "test", f"{dimension}-{number}", text, dimension, box=box)
    for number, text in enumerate(HUMAN_TRAPS, 1):
        yield Planned(STAND_IN, "trap_human", f"aside-{number}", text)
    for number, (flaw, text) in enumerate(FLAWED_TRAPS.items(), 1):
        yield Planned(BROKEN, "trap_flawed", f"extra-{number}", text, flaw=flaw)


def fooling() -> Iterator[Planned]:
    """Yield each text by each voice; the kinds of texts play the benchmarks."""
    for benchmark, texts in TEXTS.items():
        for number, text in enumerate(texts, 1):
            for voice in (STAND_IN, *SYSTEMS):
                yield Planned(voice, "test", f"{benchmark}-{number}", text, benchmark=benchmark)


def passages() -> Iterator[Planned]:
    """Yield each passage by each voice."""
    for number, passage in enumerate(PASSAGES, 1):
        for voice in (STAND_IN, *SYSTEMS):
            yield Planned(voice, "test", f"passage-{number}", passage.text)


PLANS: dict[str, Callable[[], Iterator[Planned]]] = {
    "att": audio_turing_test,
    "hfr": fooling,
    "passages": passages,
}


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


def write_table(path: Path, rows: Sequence[dict[str, str]]) -> None:
    """Write a list as CSV; the first row names the columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def question_row(question: Question, **columns: str) -> dict[str, str]:
    """Return a question's line of a list; golden questions name no errors."""
    row = {**columns, "question": question.prompt, "correct": question.correct}
    for number, (text, error) in enumerate(question.distractors, 1):
        row[f"distractor_{number}"] = text
        if columns:
            row[f"distractor_{number}_error"] = error
    return row


def write_questions(folder: Path) -> None:
    """Write the questions on the passages, and the golden ones."""
    rows = [
        question_row(question, passage=f"passage-{number}")
        for number, passage in enumerate(PASSAGES, 1)
        for question in passage.questions
    ]
    write_table(folder / "questions.csv", rows)
    write_table(folder / "golden.csv", [question_row(question) for question in GOLDEN])


def synthesise(folder: Path, plan: str) -> int:
    """Make all clips and the lists in `folder`; return the number of clips. Takes about a second."""
    espeak = Espeak()
    planned = list(PLANS[plan]())
    for clip in planned:
        write(folder / clip.file, sound(espeak, clip), espeak.rate)
    write_table(folder / "manifest.csv", [clip.row() for clip in planned])
    if plan == "passages":
        write_questions(folder)
    return len(planned)


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 2 or not {*arguments[1:]} <= PLANS.keys():
        sys.stderr.write(f"Usage: python -m demo.synthesise FOLDER [{'|'.join(PLANS)}]\n")
        return 2
    try:
        count = synthesise(Path(arguments[0]), *(arguments[1:] or ["att"]))
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
