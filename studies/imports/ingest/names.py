"""Normalise names of files in archives and folders, and reject those that lead elsewhere."""

from __future__ import annotations

import re
import unicodedata

from studies.imports.ingest.problems import InvalidInput

LONGEST = 500


def clean(name: str) -> str:
    """Return `name` with forward slashes and composed characters; raise `InvalidInput` if it leaves its folder."""
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise InvalidInput("The name holds a control character.")
    name = unicodedata.normalize("NFC", name.replace("\\", "/"))
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise InvalidInput("The name is an absolute path. Write the path below the folder of clips.")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise InvalidInput("The name leaves its folder (“..”). Write the path below the folder of clips.")
    if not parts:
        raise InvalidInput("The name is empty.")
    cleaned = "/".join(parts)
    if len(cleaned) > LONGEST:
        raise InvalidInput(f"The name is longer than {LONGEST} characters.")
    return cleaned


def folded(name: str) -> str:
    """Return a form that is equal for names that differ only in case."""
    return unicodedata.normalize("NFC", name.casefold())


def natural(name: str) -> list[list[str | int]]:
    """Return a key that sorts paths folder by folder, and numbers in names by their value: 2 before 10."""
    return [
        [int(part) if part.isdecimal() else folded(part) for part in re.split(r"(\d+)", folder)]
        for folder in name.split("/")
    ]


def is_litter(name: str) -> bool:
    """Return whether an operating system added this file automatically."""
    parts = name.replace("\\", "/").split("/")
    return (
        parts[0] == "__MACOSX" or parts[-1] in {".DS_Store", "Thumbs.db", "desktop.ini"} or parts[-1].startswith("._")
    )
