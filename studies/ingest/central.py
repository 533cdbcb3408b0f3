"""The size of a ZIP archive's list of files, read before the list itself is."""

from __future__ import annotations

import io
import struct
from typing import IO

END, LOCATOR, END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
LONGEST_COMMENT = 0xFFFF


def directory_size(file: IO[bytes]) -> int:
    """Return the bytes of the central directory; 0 when there is none, which the ZIP reader then refuses.

    APPNOTE 6.3.10, sections 4.3.14 to 4.3.16.
    """
    length = file.seek(0, io.SEEK_END)
    file.seek(max(0, length - LONGEST_COMMENT - 22 - 20))
    tail = file.read()
    end = tail.rfind(END)
    if end < 0 or end + 22 > len(tail):
        return 0
    size = int(struct.unpack_from("<L", tail, end + 12)[0])
    if end >= 20 and tail[end - 20 : end - 16] == LOCATOR:
        file.seek(min(length, int(struct.unpack_from("<Q", tail, end - 20 + 8)[0])))
        record = file.read(56)
        if record.startswith(END64) and len(record) == 56:
            return int(struct.unpack_from("<Q", record, 40)[0])
    return size
