"""Propose a manifest from the names of files and folders, and from a table that isn't quite one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from core.text.words import say
from studies.imports.ingest import manifest, table
from studies.imports.ingest.names import clean, folded, is_litter, natural
from studies.imports.ingest.problems import InvalidInput

SUFFIXES = re.compile(r"\.(wav|rf64|flac|mp3|ogg|oga|opus|aiff?|aifc|m4a|mp4|aac|webm)")
HUMAN = "human"
# How folders and columns are called elsewhere: in corpora, AudioFolder (Hugging Face), exports of other tools.
HUMANS = re.compile("humans?|natural|real|genuine|bonafide|groundtruth|gt|originals?|recordings?")
ROLES = {
    "trap_flawed": re.compile("traps?flawed|flawed(traps?)?|broken"),
    "trap_human": re.compile("traps?human|humantraps?"),
    "training": re.compile("training|practice|examples?"),
    "reference": re.compile("references?|ref"),
    "anchor": re.compile("anchors?(35|70)?"),
}
# Folders that say nothing of a clip.
NEUTRAL = re.compile("audios?|clips?|wavs?|flac|mp3|data|dataset|train|test|valid(ation)?|dev|eval|samples?")
LANGUAGES = re.compile("ar|cs|da|de|el|en|es|fi|fr|he|hi|hu|it|ja|ko|nb|nl|pl|pt|ro|ru|sv|th|tr|uk|vi|zh")
SYNONYMS = {
    "file": ("filename", "path", "filepath", "audio", "wav", "clip", "stimulus", "audiofile", "wavfile", "relpath"),
    "system": ("model", "tts", "synthesizer", "synthesiser", "condition", "method", "generator", "vocoder"),
    "role": ("type", "kind", "itemtype"),
    "voice": ("speaker", "speakerid", "spk", "spkid", "voiceid", "voicename", "reader"),
    "text_id": ("textid", "sentenceid", "utterance", "uttid", "utteranceid", "id", "itemid", "promptid", "passage"),
    "text": ("transcription", "transcript", "sentence", "prompt", "normalizedtext", "script", "words"),
    "language": ("lang", "locale", "languagecode"),
    "dimension": ("category", "topic", "style"),
}


@dataclass(frozen=True)
class Proposal:
    """Rows of a manifest to check: values by column, the source of each column, and what fits nowhere."""

    rows: tuple[dict[str, str], ...]
    # The columns of the given table, each with the manifest's column it is read as; "" for none.
    mapping: dict[str, str]
    # Files that the given table does not name, and its files that are not there.
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def propose(names: Sequence[str], content: bytes | None = None, chosen: Mapping[str, str] | None = None) -> Proposal:
    """Return a row for each audio file among `names`, sorted as people count.

    With a table (CSV), only its files get rows, in its order, and its values come before those guessed from names.
    `chosen` maps columns of the table to those of a manifest, instead of what their names suggest. Raises
    `InvalidInput` for a table that can't be read, and where there is no audio file at all.
    """
    files = [name for name in names if not is_litter(name) and SUFFIXES.fullmatch(PurePosixPath(name).suffix.lower())]
    if not files:
        raise InvalidInput(
            say("None of these files is audio. Choose WAV, FLAC, MP3, Ogg, AIFF, M4A, AAC or WebM files.")
        )
    guesses = {row["file"]: row for row in _from_names(sorted(map(clean, files), key=natural))}
    if content is None:
        return Proposal(tuple(guesses.values()), {})
    return _merged(guesses, content, chosen or {})


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _role(name: str) -> str:
    """Return the role that a folder or a value is a name for; empty if it is none."""
    return next((role for role, names in ROLES.items() if names.fullmatch(_plain(name))), "")


def _from_names(files: Sequence[str]) -> list[dict[str, str]]:
    """Guess each file's values from its folders and the words of its name."""
    folders = [PurePosixPath(name).parts[:-1] for name in files]
    shared = len(_common(folders))
    stems = [PurePosixPath(name).stem for name in files]
    rows = []
    for name, parts, stem in zip(files, folders, stems, strict=True):
        row = {"file": name, "system": "", "role": "test", "voice": "", "text_id": stem, "language": ""}
        named = []
        for part in parts[shared:]:
            if LANGUAGES.fullmatch(part.lower()):
                row["language"] = part.lower()
            elif role := _role(part):
                row["role"] = role
            elif not NEUTRAL.fullmatch(_plain(part)):
                named.append(part)
        row["system"], row["voice"] = (*named[:2], "", "")[:2]
        rows.append(row)
    if not any(row["system"] for row in rows):
        _split_stems(rows)
    elif _is_text_first(rows):
        for row in rows:
            row["system"], row["text_id"] = row["text_id"], row["system"]
    for row in rows:
        _complete(row)
    return rows


def _complete(row: dict[str, str]) -> None:
    """Call people “human”, and a clip by its role where nothing else tells its system."""
    if HUMANS.fullmatch(_plain(row["system"])) or row["role"] == "trap_human":
        row["system"] = HUMAN
    elif not row["system"]:
        row["system"] = "flawed" if row["role"] == "trap_flawed" else row["role"] if row["role"] != "test" else ""


def _common(folders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the folders that all files share and that name nothing, for there is nothing to compare."""
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return tuple(shared)


def _is_text_first(rows: Sequence[Mapping[str, str]]) -> bool:
    """Return whether each folder is a text with one file a system: few file names, many folders."""
    tests = [row for row in rows if row["role"] == "test" and row["system"]]
    systems, texts = ({row[column] for row in tests} for column in ("system", "text_id"))
    return len(tests) > len(systems) > len(texts) > 1 and not any(text.isdigit() for text in texts)


def _split_stems(rows: Sequence[dict[str, str]]) -> None:
    """Find the word of the file names that tells systems apart: the first that is no number and repeats."""
    words = [re.split(r"[_\s]+|-(?=\d)|(?<=\d)-", row["text_id"]) for row in rows]
    if len({len(each) for each in words}) != 1 or len(words[0]) < 2:
        return
    for place in range(len(words[0])):
        values = Counter(each[place] for each in words)
        rest = {tuple(each[:place] + each[place + 1 :]) for each in words}
        if 1 < len(values) <= len(rows) // 2 and len(rest) < len(rows) and not any(v.isdigit() for v in values):
            for row, each in zip(rows, words, strict=True):
                row["system"], row["text_id"] = each[place], "_".join(each[:place] + each[place + 1 :])
            return


def column_of(name: str) -> str:
    """Return the manifest's column that a column of another table seems to be; empty if none is near."""
    plain = _plain(name)
    known = {_plain(column): column for column in manifest.COLUMNS}
    known |= {synonym: column for column, synonyms in SYNONYMS.items() for synonym in synonyms if synonym not in known}
    near = [plain] if plain in known else get_close_matches(plain, known, n=1, cutoff=0.85)
    return known[near[0]] if near else ""


def _merged(guesses: Mapping[str, dict[str, str]], content: bytes, chosen: Mapping[str, str]) -> Proposal:
    text, _warning = table.lines(content, manifest.KIND)
    records = table.records(text, manifest.KIND)
    header = [cell.strip() for cell in next(records, (1, []))[1]]
    mapping = _mapping(header, chosen)
    if "file" not in mapping.values():
        raise InvalidInput(
            say("No column of the table names the files. Choose the one that does, or leave the table out.")
        )
    found = _Finder(list(guesses))
    rows, missing, used = [], [], set()
    for _number, cells in records:
        pairs = zip(header, cells, strict=False)
        values = {mapping[name]: cell.strip() for name, cell in pairs if mapping.get(name) and cell.strip()}
        if "file" not in values:
            continue
        if (file := found.find(values["file"])) is None:
            missing.append(values["file"])
            continue
        used.add(file)
        rows.append({**guesses[file], **_meant(values), "file": file})
    return Proposal(tuple(rows), mapping, tuple(file for file in guesses if file not in used), tuple(missing))


def _meant(values: dict[str, str]) -> dict[str, str]:
    """Write role and system as a manifest does, where their meaning is plain."""
    if "role" in values:
        values["role"] = _role(values["role"]) or values["role"].lower()
    if HUMANS.fullmatch(_plain(values.get("system", ""))):
        values["system"] = HUMAN
    return values


def _mapping(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Give each column of the manifest to one column of the table: chosen, exact, or the first that is near."""
    mapping = {name: chosen[name] for name in header if chosen.get(name) in {*manifest.COLUMNS, ""}}
    for is_exact in (True, False):
        for name in header:
            column = name.lower() if name.lower() in manifest.COLUMNS else "" if is_exact else column_of(name)
            if name and name not in mapping and column and column not in mapping.values():
                mapping[name] = column
    return {name: mapping.get(name, "") for name in header if name}


class _Finder:
    """Finds files by the end of their path, as tables name them from some folder on."""

    def __init__(self, files: Sequence[str]) -> None:
        self.ends: dict[str, str | None] = {}
        for file in files:
            parts = PurePosixPath(folded(file)).parts
            for start in range(len(parts)):
                end = "/".join(parts[start:])
                # An end that two files share names neither.
                self.ends[end] = None if end in self.ends and start else file

    def find(self, name: str) -> str | None:
        """Return the file that is meant; None if there is none, or more than one."""
        try:
            wanted = folded(clean(name))
        except InvalidInput:
            return None
        return self.ends.get(wanted)
