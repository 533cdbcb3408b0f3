"""Make the study of a quick test from folders, with the services that every study is made with."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from statistics import fmean
from typing import TYPE_CHECKING, Any

from core import clock
from core.errors import Invalid
from core.rng import seeded
from quick import alike, texts, trials
from quick.pairing import FolderFiles, Pairing, by_name, by_order
from quick.request import Kept, Request, TestFile
from quick.wording import counted
from studies.imports import requests
from studies.launch import states
from studies.task_types import mushra

if TYPE_CHECKING:
    from studies.definition.models import Study

# Places for people who open the link and leave: the test ends when enough have finished.
SPARE = 10
LETTERS = "ABCDE"
REFERENCE = "reference"
# Files that are paired by order may not differ in length by more than this factor.
LONGER = 2.0
Say = Callable[[str], object]
Row = tuple[Path, ...]


def make(request: Request, say: Say) -> Kept:
    """Pair the files, create, import and launch the study; raise `DomainError` with what doesn't fit.

    `say` gets sentences for the terminal. None of them names a folder or a file.
    """
    places = [*request.folders, *([request.reference] if request.reference else [])]
    names = system_names(places)
    pairing = _pair(request, [_files(path) for path in places], say)
    rows = [tuple(path / file for path, file in zip(places, row, strict=True)) for row in pairing.rows]
    different = [row for row in rows if not alike.has_same_sound(row)]
    if not different:
        raise Invalid("Nothing is left to compare: every text has the same sound in two folders.")
    if identical := len(rows) - len(different):
        text = counted(identical, "text is left out: it has", "texts are left out: they have")
        say(f"{text} the same sound in two folders.")
    each = _trials_each(request)
    kept_rows = trials.chosen(different, request.trials, each, seeded("quick texts", request.seed))
    _warn_of_few(request, len(different), len(kept_rows), each, say)
    study = _create(request, names, each * len(kept_rows))
    labels = _labels(kept_rows, places[0])
    _import(study, kept_rows, labels, names)
    if request.by_order:
        _refuse_unequal(study)
    alike.repair(study, request)
    alike.examine(study, say)
    minutes = _minutes(study, request, each * len(kept_rows))
    states.change_settings(study=study, changes={"payment.minutes": minutes})
    states.launch(study=study, now=clock.now(), rng=seeded("quick places", request.seed))
    _announce(request, len(kept_rows), each, minutes, say)
    return Kept(
        request=request, slug=study.slug, folders=tuple(names[: len(request.folders)]), texts=tuple(labels),
        trials=each * len(kept_rows), alone=pairing.alone, identical=identical,
        files=tuple(_kept_files(study, kept_rows, labels, names)), repairs=study.definition.audio.repairs,
        started_at=clock.now().isoformat(timespec="seconds"),
    )  # fmt: skip


def system_names(places: Sequence[Path]) -> list[str]:
    """Return the folders' names, with those of the folders above where they would be equal."""
    for depth in range(1, max(len(path.parts) for path in places) + 1):
        names = ["/".join(path.parts[-depth:])[-100:] for path in places]
        if len({name.casefold() for name in names}) == len(names):
            return names
    raise Invalid("The same folder is named twice.")


def _files(path: Path) -> FolderFiles:
    if not path.is_dir():
        raise Invalid(f"There is no folder {path}.")
    folder = FolderFiles.of(path)
    if not folder.files:
        raise Invalid(f"There is no audio file in {path}.")
    return folder


def _pair(request: Request, folders: Sequence[FolderFiles], say: Say) -> Pairing:
    pairing = by_order(folders) if request.by_order else by_name(folders)
    if not pairing.rows:
        examples = "; ".join(f"{folder.path.name}: {', '.join(folder.files[:2])}" for folder in folders)
        raise Invalid(
            f"No file names match ({examples}). Rename the files, or use --by-order to pair them in sorted order."
        )
    say(f"{counted(len(pairing.rows), 'text has', 'texts have')} a file in every folder.")
    names = [*(f"folder {letter}" for letter in LETTERS[: len(request.folders)]), "the reference folder"]
    for count, name in zip(pairing.alone, names, strict=False):
        if count:
            files = counted(count, f"file in {name} is", f"files in {name} are")
            say(f"{files} left out, because another folder has no match.")
    return pairing


def _warn_of_few(request: Request, possible: int, kept: int, each: int, say: Say) -> None:
    """Say that so few texts allow no test; and if there are more, how many trials they take."""
    if kept >= trials.FEW:
        return
    say(f"Warning: with fewer than {trials.FEW} texts, the result has only counts, no test.")
    if possible >= trials.FEW:
        needed = trials.FEW * each
        say(f"--trials {request.trials} leaves {counted(kept, 'text', 'texts')}. Use --trials {needed} or more.")


def _trials_each(request: Request) -> int:
    """Return the trials that one text makes."""
    count = len(request.folders)
    return {"ab": count * (count - 1) // 2, "abx": count - 1, "acr": count, "mushra": 1}[request.task]


def _create(request: Request, names: Sequence[str], size: int) -> Study:
    words = texts.words(request.language)
    settings: dict[str, Any] = {
        "crowd.source": "open",
        "crowd.return_url": "",
        "protocol.tests_per_batch": size,
        "protocol.batches_per_session": 1,
        "protocol.ratings_wanted": request.raters + SPARE,
        "protocol.repeat_text": "crossed",
        "payment.rate": 0,
        "results.hide_scores": True,
        "audio.loudness": None if request.as_is else -23.0,
        **{name: text for name, text in words.items() if name != "title"},
    }
    if request.question:
        settings["task.question"] = request.question
    if request.task == "ab":
        settings |= {"task.pairs": "all", "task.answer": "tie" if request.tie else "forced"}
    if request.task == "abx":
        settings["task.baseline"] = names[0]
    return states.create_study(
        slug=f"listen-{token_hex(16)}", title=words["title"], preset=request.task, owner=None, changes=settings,
        now=clock.now(), language=request.language,
    )  # fmt: skip


def _labels(rows: Sequence[Row], folder: Path) -> list[str]:
    """Return a text's name for each row: the first folder's file without its ending; numbers get a letter for R."""
    stems = [row[0].relative_to(folder).with_suffix("").as_posix()[-190:] for row in rows]
    if len(set(stems)) < len(stems):
        stems = [f"{stem} {number}" for number, stem in enumerate(stems, start=1)]
    return [f"t{stem}" if stem.isdigit() else stem for stem in stems]


def _import(study: Study, rows: Sequence[Row], labels: Sequence[str], names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="earshot-quick-") as scratch:
        root, rated = Path(scratch), names[: len(names) - (study.definition.task_type == "mushra")]
        with (root / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["file", "system", "role", "text_id"])
            for label, path, name, place in _cells(rows, labels, names):
                _link(path, root / place)
                table.writerow([place, name, "test" if name in rated else REFERENCE, label])
        job = requests.import_folder(study=study, manifest_path=root / "manifest.csv", root=root)
    if refused := [line for line in job.report if not line["warning"]]:
        raise Invalid(f"{refused[0]['file']}: {refused[0]['reason']}")
    if job.error:
        raise Invalid(job.error)


def _cells(rows: Sequence[Row], labels: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, Path, str, str]]:
    """Yield (text, file, system, name in the study) of every file; a system's folder has a number."""
    for label, row in zip(labels, rows, strict=True):
        for number, (path, name) in enumerate(zip(row, names, strict=True), start=1):
            yield label, path, name, f"{number}/{label}{path.suffix}"


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def _refuse_unequal(study: Study) -> None:
    seconds: dict[str, list[float]] = {}
    for clip in alike.clips_of(study):
        seconds.setdefault(clip["file"].partition("/")[2].rpartition(".")[0], []).append(clip["duration"])
    if unequal := [text for text, each in seconds.items() if max(each) > LONGER * min(each)]:
        raise Invalid(
            f"--by-order gives {counted(len(unequal), 'text', 'texts')} one file that is more than twice as long as "
            f"another (for example {unequal[0]}). Give files that belong together the same name."
        )


def _kept_files(study: Study, rows: Sequence[Row], labels: Sequence[str], names: Sequence[str]) -> Iterator[TestFile]:
    clips = {clip["file"]: clip for clip in alike.clips_of(study)}
    for label, path, name, place in _cells(rows, labels, names):
        clip = clips[place]
        facts = {key: clip[key] for key in ("sha256", "gain", "sample_rate")}
        yield TestFile(text=label, folder=name, path=path, seconds=clip["duration"], **facts)


def _minutes(study: Study, request: Request, count: int) -> int:
    params, rated = study.definition.params, 1
    if isinstance(params, mushra.Params):
        rated = len(request.folders) + params.hidden_reference + len(params.anchors)
    seconds = fmean(clip["duration"] for clip in alike.clips_of(study))
    return trials.minutes(request.task, count, seconds, rated=rated)


def _announce(request: Request, count: int, each: int, minutes: int, say: Say) -> None:
    time = counted(minutes, "minute", "minutes")
    say(f"Each listener does {counted(count * each, 'trial', 'trials')} in about {time}.")
    folders = len(request.folders)
    if folders > 2 and request.task == "abx":
        say("Each folder is compared with folder A, the first one.")
    if count >= trials.FEW:
        pairs = folders - 1 if request.task == "abx" else folders * (folders - 1) // 2
        say(trials.detectable(request.task, count, pairs))
