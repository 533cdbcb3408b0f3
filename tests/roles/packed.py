"""What is in a download, as text."""

from __future__ import annotations

import io
import zipfile

import pyarrow.parquet as pq


def unpacked(content: bytes) -> str:
    """Return every file of a ZIP: tables of Parquet as their rows, workbooks unpacked as well."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [archive.read(name) for name in archive.namelist()]
    return "\n".join(map(readable, files))


def readable(file: bytes) -> str:
    if file.startswith(b"PAR1"):
        return str(pq.read_table(io.BytesIO(file)).to_pylist())
    return unpacked(file) if file.startswith(b"PK") else file.decode(errors="replace")
