"""Receive requests in pieces and hold each until it is complete, so that no thread waits for the rest of it.

The parser of Node.js reads them (`httptools`) and refuses what is ambiguous. What a server decides is decided here: how
much a request may contain, and what of it the application sees.
"""

from __future__ import annotations

import re
import tempfile
from collections import deque
from io import BytesIO
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from httptools import HttpParserCallbackError, HttpParserError, HttpParserUpgrade, HttpRequestParser

LONGEST_HEAD = 64 * 1024
LONGEST_TARGET = 4096
MOST_FIELDS = 100
# Browsers send a request once they have the response to the one before it.
MOST_WAITING = 8
# A longer body waits on the disk.
IN_MEMORY = 64 * 1024
# What surrounds a byte of a body in chunks of one byte.
AROUND = 8
# Paths alone: of a target with a scheme and a host, and of `*`, the application knows nothing.
TARGET = re.compile(rb"/[\x21-\x7e]*")
# A second one would make a request ambiguous.
ONLY_ONCE = {"HTTP_HOST", "CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}
VERSIONS = {"1.0": (1, 0), "1.1": (1, 1)}


class RequestRefused(Exception):
    """A request that gets an error before it is read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class IncomingRequest:
    """One request, as much of it as has arrived."""

    def __init__(self) -> None:
        self.received = self.fields = self.body_bytes = 0
        self.has_head = self.is_whole = self.closes = False
        # The client waits for "100 Continue" before it sends the body.
        self.expects_go_ahead = False
        self.target = b""
        self.method, self.uri, self.version = "", "", (1, 1)
        # What the application gets to know of it.
        self.environ: dict[str, Any] = {}
        self.body: IO[bytes] = BytesIO()

    def should_close(self) -> bool:
        """Return whether the connection ends with the response; gunicorn asks."""
        return self.closes

    def discard(self) -> None:
        """Drop what was received."""
        self.body.close()

    def add_field(self, name: bytes, value: bytes) -> None:
        """Add a line of the head."""
        self.fields += 1
        if self.fields > MOST_FIELDS:
            raise RequestRefused(431, "Request Header Fields Too Large")
        # In the application's spelling, `a_b` would be the same as `a-b`.
        if b"_" in name:
            return
        key = name.decode("latin-1").upper().replace("-", "_")
        if key not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            key = "HTTP_" + key
        text = value.decode("latin-1").strip(" \t")
        if key in self.environ:
            if key in ONLY_ONCE:
                raise RequestRefused(400, "Bad Request")
            text = f"{self.environ[key]},{text}"
        self.environ[key] = text

    def end_head(self, method: str, version: str, most: int) -> None:
        """Check the head once it is complete; `most` is the longest accepted body in bytes."""
        if len(self.target) > LONGEST_TARGET:
            raise RequestRefused(414, "URI Too Long")
        if not TARGET.fullmatch(self.target) or version not in VERSIONS:
            raise RequestRefused(400, "Bad Request")
        self.has_head, self.method, self.version = True, method, VERSIONS[version]
        self.uri = self.target.decode()
        path, _, query = self.uri.partition("?")
        coding, expected = self.environ.get("HTTP_TRANSFER_ENCODING"), self.environ.get("HTTP_EXPECT", "").lower()
        if coding is not None and (coding.lower() != "chunked" or version == "1.0"):
            raise RequestRefused(501, "Not Implemented")
        if expected not in {"", "100-continue"}:
            raise RequestRefused(417, "Expectation Failed")
        self.expects_go_ahead = bool(expected) and version == "1.1"
        if int(self.environ.get("CONTENT_LENGTH") or 0) > most:
            raise RequestRefused(413, "Content Too Large")
        self.environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1") if "%" in path else path,
            "QUERY_STRING": query,
            "SERVER_PROTOCOL": f"HTTP/{version}",
        }

    def add_body(self, data: bytes, most: int) -> None:
        """Add a piece of the body."""
        self.body_bytes += len(data)
        if self.body_bytes > most:
            raise RequestRefused(413, "Content Too Large")
        if self.body_bytes > IN_MEMORY and isinstance(self.body, BytesIO):
            earlier = self.body.getvalue()
            self.body = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `discard`)
            self.body.write(earlier)
        self.body.write(data)

    def end(self) -> None:
        """Let the body be read from its beginning, and its length be known where it came in chunks."""
        self.body.seek(0)
        if self.body_bytes:
            self.environ["CONTENT_LENGTH"] = str(self.body_bytes)
        self.is_whole = True


class Arrivals:
    """The requests of one connection; `most` is the longest accepted body in bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.requests = deque([IncomingRequest()])
        self.parser = HttpRequestParser(self)

    @property
    def current(self) -> IncomingRequest:
        """Return the request that is to be answered next."""
        return self.requests[0]

    def take(self, data: bytes) -> None:
        """Add received bytes; raise `RequestRefused` for what is no request."""
        newest = self.requests[-1]
        newest.received += len(data)
        try:
            self.parser.feed_data(data)
            if newest.received > LONGEST_HEAD + AROUND * newest.body_bytes and not newest.is_whole:
                raise RequestRefused(431, "Request Header Fields Too Large")
        except (HttpParserError, RequestRefused) as error:
            if not self.current.is_whole:
                refused = error.__context__ if isinstance(error, HttpParserCallbackError) else error
                raise refused if isinstance(refused, RequestRefused) else RequestRefused(400, "Bad Request") from None
            # Something else follows a request: that one is answered.
            self.current.closes = True
        except HttpParserUpgrade:
            # Another protocol is not spoken here, and a body would be of that one.
            self.current.closes = True
            if int(self.current.environ.get("CONTENT_LENGTH") or 0):
                raise RequestRefused(400, "Bad Request") from None

    def next(self) -> IncomingRequest:
        """Drop the request that was answered, and return the next one."""
        self.requests.popleft().discard()
        if not self.requests:
            self.requests.append(IncomingRequest())
        return self.current

    # What the parser calls.

    def on_message_begin(self) -> None:
        if not self.requests[-1].is_whole:
            return
        if len(self.requests) > MOST_WAITING:
            raise RequestRefused(429, "Too Many Requests")
        self.requests.append(IncomingRequest())
        self.requests[-1].received = 1

    def on_url(self, piece: bytes) -> None:
        self.requests[-1].target += piece

    def on_header(self, name: bytes, value: bytes) -> None:
        # What follows a body in chunks is of no interest.
        if not self.requests[-1].has_head:
            self.requests[-1].add_field(name, value)

    def on_headers_complete(self) -> None:
        newest = self.requests[-1]
        newest.end_head(self.parser.get_method().decode(), self.parser.get_http_version(), self.most)
        newest.closes = not self.parser.should_keep_alive()

    def on_body(self, data: bytes) -> None:
        self.requests[-1].add_body(data, self.most)

    def on_message_complete(self) -> None:
        self.requests[-1].end()
