"""Receive a request in pieces and hold it until it is complete, so that no thread waits for the rest of it.

Only the end of a request is found here. Gunicorn's parser reads its content afterwards, and rejects what is
ambiguous; it never sees a byte beyond the end.
"""

from __future__ import annotations

import re
import tempfile
from io import BytesIO
from typing import IO, Protocol

BLANK = b"\r\n\r\n"
LONGEST_HEAD = 64 * 1024
LONGEST_LINE = 4096
# A longer request waits on the disk.
IN_MEMORY = 64 * 1024
CHUNKED = re.compile(rb"\r\ntransfer-encoding[ \t]*:", re.IGNORECASE)
LENGTH = re.compile(rb"\r\ncontent-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
EXPECTS = re.compile(rb"\r\nexpect[ \t]*:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)
HEX = re.compile(rb"[0-9a-fA-F]{1,15}")


class RequestRefused(Exception):
    """A request that gets an error before it is read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Body(Protocol):
    """Finds the end of a body."""

    is_over: bool

    def used(self, data: bytes) -> int:
        """Return how many of these bytes belong to the body."""


class FixedLength:
    """A body with a Content-Length, or no body."""

    def __init__(self, length: int) -> None:
        self.left = length
        self.is_over = not length

    def used(self, data: bytes) -> int:
        used = min(self.left, len(data))
        self.left -= used
        self.is_over = not self.left
        return used


class Chunks:
    """A chunked body: each chunk follows a line with its length; an empty chunk and a blank line end it."""

    def __init__(self) -> None:
        self.line = bytearray()
        self.left = 0
        self.is_last = self.is_over = False

    def used(self, data: bytes) -> int:
        at = 0
        while at < len(data) and not self.is_over:
            if self.left:
                step = min(self.left, len(data) - at)
                self.left -= step
            else:
                step = (data.find(b"\n", at) + 1 or len(data)) - at
                self.line += data[at : at + step]
                if len(self.line) > LONGEST_LINE:
                    raise RequestRefused(400, "Bad Request")
                if self.line.endswith(b"\n"):
                    self._read_line()
            at += step
        return at

    def _read_line(self) -> None:
        line = bytes(self.line).strip()
        self.line.clear()
        if self.is_last:
            self.is_over = not line
            return
        size = line.partition(b";")[0].strip()
        if not HEX.fullmatch(size):
            raise RequestRefused(400, "Bad Request")
        self.is_last = not int(size, 16)
        # The line break behind a chunk belongs to it.
        self.left = 0 if self.is_last else int(size, 16) + 2


class IncomingRequest:
    """One request; `most` is the longest accepted body in bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.buffer = bytearray()
        self.file: IO[bytes] | None = None
        self.body: Body | None = None
        self.body_bytes = 0
        # The client waits for "100 Continue" before it sends the body.
        self.expects_go_ahead = False
        self.is_whole = False

    def take(self, data: bytes) -> bytes:
        """Add received bytes, and return those of the next request; raise `RequestRefused`."""
        if self.body is None:
            seen = max(0, len(self.buffer) - len(BLANK) + 1)
            self.buffer += data
            end = self.buffer.find(BLANK, seen) + len(BLANK)
            if end < len(BLANK):
                if len(self.buffer) > LONGEST_HEAD:
                    raise RequestRefused(431, "Request Header Fields Too Large")
                return b""
            data = bytes(self.buffer[end:])
            del self.buffer[end:]
            self.body = self._begin_body(bytes(self.buffer))
        used = self.body.used(data)
        self.body_bytes += used
        if self.body_bytes > self.most:
            raise RequestRefused(413, "Content Too Large")
        self._keep(data[:used])
        self.is_whole = self.body.is_over
        return data[used:]

    def read_as_file(self) -> IO[bytes]:
        """Return the whole request as a file at its beginning."""
        if self.file is None:
            return BytesIO(self.buffer)
        self.file.seek(0)
        return self.file

    def discard(self) -> None:
        """Drop what was received."""
        self.buffer.clear()
        if self.file is not None:
            self.file.close()

    def _begin_body(self, head: bytes) -> Body:
        if CHUNKED.search(head):
            body: Body = Chunks()
        else:
            lengths = LENGTH.findall(head)
            length = int(lengths[0]) if lengths else 0
            if length > self.most:
                raise RequestRefused(413, "Content Too Large")
            body = FixedLength(length)
        self.expects_go_ahead = not body.is_over and bool(EXPECTS.search(head))
        return body

    def _keep(self, data: bytes) -> None:
        if self.file is None and len(self.buffer) + len(data) > IN_MEMORY:
            self.file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `discard`)
            self.file.write(self.buffer)
            self.buffer.clear()
        if self.file is None:
            self.buffer += data
        else:
            self.file.write(data)
