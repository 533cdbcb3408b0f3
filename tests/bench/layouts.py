"""Draw 40 layouts of files, and count how many the proposed table reads right, asks about, or gets wrong.

PYTHONPATH=platform:. python tests/bench/layouts.py --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from studies.imports.ingest import guess
from studies.imports.ingest.name_words import anchor

NUMBER = 40
SYSTEMS = (
    ("modelA", "modelB", "modelC", "modelD", "modelE"),
    ("sys1", "sys2", "sys3", "sys4", "sys5", "sys6"),
    ("vits", "f5-tts", "xtts_v2", "cosyvoice2", "maskgct"),
    ("A", "B", "C", "D"),
    ("alder", "birch", "cedar", "dogwood", "elm"),
    ("FastSpeech2", "Tacotron2", "baseline", "proposed"),
    ("baseline_large", "baseline_small", "proposed_large", "proposed_small"),
)
HUMANS = ("", "", "gt", "GT", "ground_truth", "human", "real", "rec", "natural", "ref")
SPEAKERS = (
    ("p225", "p226", "p227"),
    ("spk1", "spk2", "spk3", "spk4"),
    ("84", "174", "1272"),
    ("anna", "ben", "carla"),
    ("F1", "F2", "M1", "M2"),
    ("speaker_01", "speaker_02"),
    ("s1", "s2", "s3"),
)
WORDS = ("hello", "weather", "news", "bird", "river", "table", "garden", "train_station", "letter", "music")
PLACES = ("", "out/", "exp/run1/wavs/", "listening_test/", "clips/")


def texts(draw: random.Random) -> list[str]:
    """Return the names of some texts, in one of the ways in which people name them."""
    number = draw.choice((4, 6, 10, 20))
    form = draw.choice(
        (
            "utt{:02}",
            "{:03}",
            "sent{}",
            "s{:03}",
            "t{}",
            "LJ001-{:04}",
            "utt_{:03}",
            "arctic_a{:04}",
            "line{:04}",
            "words",
        )
    )
    if form == "words":
        return list(WORDS[: min(number, len(WORDS))])
    return [form.format(index) for index in range(1, number + 1)]


def layout(draw: random.Random) -> tuple[str, dict[str, dict[str, str]]]:
    """Return a description, and {file: its true values}."""
    systems = list(draw.choice(SYSTEMS)[: draw.randint(2, 6)])
    if people := draw.choice(HUMANS):
        systems.append(people)
    values = {"system": systems, "text": texts(draw)}
    is_mushra = draw.random() < 0.15
    if is_mushra:
        systems[:] = [system for system in systems if system != people] + ["reference", "anchor35"]
    if draw.random() < 0.45:
        values["speaker"] = list(draw.choice(SPEAKERS))
    if draw.random() < 0.2:
        values["take"] = draw.choice((["take1", "take2"], ["1", "2", "3"], ["seed0", "seed1"]))
    parts = _order(draw, values)
    levels = _levels(draw, parts)
    separator = draw.choice(("_", "_", "_", "-", "__", "_"))
    place = draw.choice(PLACES)
    files = {}
    for cell in product(*(values[part] for part in parts)):
        of = dict(zip(parts, cell, strict=True))
        path = "/".join(separator.join(of[part] for part in level) for level in levels)
        files[f"{place}{path}.wav"] = _truth(of)
    if draw.random() < 0.2:
        for index in range(1, 4):
            files[f"{place}trap_flawed/x{index}.wav"] = {"system": "flawed", "role": "trap_flawed"}
    described = "/".join(separator.join(level) for level in levels)
    return f"{place}{described}: {', '.join(f'{part} {each[0]} … {each[-1]}' for part, each in values.items())}", files


def _order(draw: random.Random, values: dict[str, list[str]]) -> list[str]:
    """Return the parts in an order that people use: takes follow texts."""
    parts = [part for part in ("system", "speaker", "text") if part in values]
    draw.shuffle(parts)
    if "take" in values:
        parts.insert(parts.index("text") + 1, "take")
    return parts


def _levels(draw: random.Random, parts: Sequence[str]) -> list[list[str]]:
    """Cut the parts into folders and a file name; a take stays with its text."""
    levels: list[list[str]] = [[parts[0]]]
    for part in parts[1:]:
        if part != "take" and draw.random() < 0.6:
            levels.append([part])
        else:
            levels[-1].append(part)
    return levels


def _truth(of: dict[str, str]) -> dict[str, str]:
    system, role = of["system"], "test"
    if system == "reference":
        system, role = "human", "reference"
    elif system.startswith("anchor"):
        system, role = anchor(system), "anchor"
    elif system in HUMANS:
        system = "human"
    speaker = of.get("speaker", "")
    voice = speaker or ("LJ" if of["text"].startswith("LJ") else "")
    return {
        "system": system,
        "role": role,
        "voice": voice,
        "text": f"{speaker} {of['text']}",
        "take": of.get("take", ""),
    }


def _same(rows: Sequence[dict[str, str]], truth: dict[str, dict[str, str]]) -> bool:
    """Compare partitions, whatever they are called; people and roles must be named."""
    rated = [row for row in rows if truth[row["file"]]["role"] != "trap_flawed"]
    pairs = [(row, truth[row["file"]]) for row in rated]
    if any(
        row["role"] != true["role"] or (row["system"] == "human") != (true["system"] == "human") for row, true in pairs
    ):
        return False
    names = {"system": "system", "voice": "voice", "text_id": "text", "take": "take"}
    for column, name in names.items():
        both = {(row.get(column, ""), true[name]) for row, true in pairs}
        if not len(both) == len({one for one, _ in both}) == len({other for _, other in both}):
            return False
    traps = [row for row in rows if truth[row["file"]]["role"] == "trap_flawed"]
    return all(row["role"] == "trap_flawed" for row in traps)


def outcomes(seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (outcome, description, layouts proposed) of each layout that is drawn."""
    draw = random.Random(seed)
    for _ in range(NUMBER):
        described, truth = layout(draw)
        proposal = guess.propose(list(truth))
        offered = [reading.layout for reading in proposal.readings]
        if not offered:
            missing = any(not row["system"] for row in proposal.rows)
            outcome = "right" if _same(proposal.rows, truth) else "asked" if missing else "silently wrong"
            yield outcome, described, [proposal.layout]
            continue
        among = any(_same(guess.propose(list(truth), layout=each).rows, truth) for each in offered)
        yield "asked" if among else "asked, right one not offered", described, offered


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    counts: Counter[str] = Counter()
    for outcome, described, offered in outcomes(seed):
        counts[outcome] += 1
        if outcome != "right":
            say(f"{outcome}: {described} → {' or '.join(offered)}")
    say(f"seed {seed}: {', '.join(f'{number} {outcome}' for outcome, number in counts.most_common())}")


if __name__ == "__main__":
    main()
