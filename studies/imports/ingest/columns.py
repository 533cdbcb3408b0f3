"""Map the columns of any table to those of a manifest: by their names, or by their cells where there is no header."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from studies.imports.ingest import manifest
from studies.imports.ingest.finding import Finder, is_audio
from studies.imports.ingest.name_words import LANGUAGES, plain

# As columns are called elsewhere: in corpora, AudioFolder (Hugging Face), NeMo, NISQA, exports of other tools.
SYNONYMS = {
    "file": (
        *("filename", "path", "filepath", "audio", "wav", "clip", "stimulus", "audiofile", "wavfile", "relpath"),
        *(
            "audiofilepath",
            "audiopath",
            "audiofilename",
            "wavpath",
            "wavfilename",
            "wavs",
            "deg",
            "filenamedeg",
            "filepathdeg",
        ),
    ),
    "system": ("model", "tts", "synthesizer", "synthesiser", "condition", "method", "generator", "vocoder", "systemid"),
    "role": ("type", "kind", "itemtype"),
    "voice": ("speaker", "speakerid", "spk", "spkid", "voiceid", "voicename", "reader", "clientid"),
    "text_id": ("textid", "sentenceid", "utterance", "uttid", "utteranceid", "id", "itemid", "promptid", "passage"),
    "text": ("transcription", "transcript", "sentence", "prompt", "normalizedtext", "script", "words", "targettext"),
    "language": ("lang", "locale", "languagecode"),
    "dimension": ("category", "topic", "style"),
    "prompt_file": (
        "promptwav",
        "promptaudio",
        "promptpath",
        "speakerprompt",
        "refaudio",
        "refwav",
        "promptaudiofilepath",
    ),
}
KNOWN = {plain(column): column for column in manifest.COLUMNS} | {
    synonym: column
    for column, synonyms in SYNONYMS.items()
    for synonym in synonyms
    if synonym not in {plain(known) for known in manifest.COLUMNS}
}
# Rows that are read to see what the columns hold.
SAMPLE = 200


def chosen_column(name: str, chosen: Mapping[str, str]) -> str | None:
    """Return what a column of the table was chosen to be; None if nothing valid was chosen."""
    column = chosen.get(name)
    if column == manifest.EXTRA:
        return manifest.extra_column(name)
    return column if column in {*manifest.COLUMNS, ""} else None


def known_near(name: str, taken: Collection[str]) -> str:
    """Return the free column of a manifest that an unknown name may mean; empty if none is near."""
    near = get_close_matches(plain(name), KNOWN, n=5, cutoff=0.7)
    return next((KNOWN[each] for each in near if KNOWN[each] not in taken), "")


def column_of(name: str) -> str:
    """Return the manifest's column that a column of another table seems to be; empty if none is near."""
    near = [plain(name)] if plain(name) in KNOWN else get_close_matches(plain(name), KNOWN, n=1, cutoff=0.85)
    return KNOWN[near[0]] if near else ""


def has_header(cells: Sequence[str], finder: Finder) -> bool:
    """True if a first row names columns, and no file."""
    names = [cell for cell in cells if cell]
    if any(finder.find(name) for name in names):
        return False
    return any(plain(name) in KNOWN for name in names) or not any(is_audio(name) for name in names)


def named(
    header: Sequence[str], rows: Sequence[Sequence[str]], chosen: Mapping[str, str], finder: Finder
) -> dict[str, str]:
    """Give each column of the manifest to one column of the table: chosen, exact, or the first that is near."""
    mapping = {name: column for name in header if (column := chosen_column(name, chosen)) is not None}
    for is_exact in (True, False):
        for name in header:
            column = name.lower() if manifest.KIND.limit(name.lower()) else "" if is_exact else column_of(name)
            if name and name not in mapping and column and column not in mapping.values():
                mapping[name] = column
    if "file" not in mapping.values():
        # Ids are often the names of files without their ending.
        counts = {name: _files(place, rows, finder) for place, name in enumerate(header) if name and name not in chosen}
        best = max(counts, key=lambda name: (counts[name], mapping.get(name) == "text_id"), default="")
        if best and counts[best] >= 0.5 * max(1, len(rows[:SAMPLE])):
            mapping[best] = "file"
    return {name: mapping.get(name, "") for name in header if name}


def unnamed(
    header: Sequence[str], rows: Sequence[Sequence[str]], chosen: Mapping[str, str], finder: Finder
) -> dict[str, str]:
    """Map columns without a header by their cells: files, the prompt, the language, the speaker, the text."""
    sample = [list(row) + [""] * (len(header) - len(row)) for row in rows[:SAMPLE]]
    mapping = dict.fromkeys(header, "")
    places = range(len(header))
    counts = [_files(place, sample, finder) for place in places]
    file = max(places, key=lambda place: (counts[place], -place))
    if counts[file]:
        mapping[header[file]] = "file"
    paths = [place for place in places if place != file and _share(sample, place, is_audio) > 0.5]
    if paths:
        mapping[header[paths[0]]] = "prompt_file"
    rest = [place for place in places if place != file and place not in paths]
    texts = [place for place in rest if _share(sample, place, lambda cell: len(cell) > 12 or " " in cell) > 0.5]
    if texts:
        # In front of its path are the words of the prompt (seed-tts-eval).
        after = [place for place in texts if paths and place > paths[0]]
        mapping[header[(after or texts)[0]]] = "text"
    for place in rest:
        values = {row[place] for row in sample}
        if place in texts or values == {""}:
            continue
        if all(LANGUAGES.fullmatch(value.lower()) for value in values if value):
            mapping[header[place]] = "language"
        elif "voice" not in mapping.values() and 2 * len(values) <= max(2, len(sample)):
            mapping[header[place]] = "voice"
    return mapping | {name: column for name in header if (column := chosen_column(name, chosen)) is not None}


def _files(place: int, rows: Sequence[Sequence[str]], finder: Finder) -> int:
    """Count the rows with a file in this column."""
    return sum(place < len(row) and finder.find(row[place]) is not None for row in rows[:SAMPLE] if any(row))


def _share(rows: Sequence[Sequence[str]], place: int, test: object) -> float:
    assert callable(test)
    return sum(bool(test(row[place])) for row in rows) / max(1, len(rows))
