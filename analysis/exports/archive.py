"""Pack a folder into a ZIP that is the same to the byte whenever its files are."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import IO

# The earliest date that a ZIP can hold.
NO_DATE = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, target: IO[bytes], inside: str) -> None:
    """Write every file of `folder` and of its folders, by name, into `target` under the folder `inside`."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in files:
            path, entry = folder / name, zipfile.ZipInfo(f"{inside}/{name}", NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            # A fixed choice, or the bytes would depend on the machine that packs.
            entry.create_system = 3
            with open(path, "rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                shutil.copyfileobj(source, packed, 1 << 20)
