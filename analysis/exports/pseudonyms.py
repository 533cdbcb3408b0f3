"""Pseudonyms of people that hold within one study and can't be matched with another study's."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache


class Pseudonyms:
    """Pseudonyms keyed by the study's secret. Without it they can't be traced to a row or matched between studies.

    Each `use` has a key of its own, so that its pseudonyms can't be matched with those of another use.
    """

    def __init__(self, secret: str, use: str = "") -> None:
        self._key = (
            hmac.new(secret.encode(), f"use:{use}".encode(), hashlib.sha256).digest() if use else secret.encode()
        )
        self.rater = self._remembered("rater")
        self.session = self._remembered("session")
        self.expert = self._remembered("expert")
        self.coding = self._remembered("coding")
        self.spot_item = self._remembered("spot_item")

    def _remembered(self, kind: str) -> Callable[[int], str]:
        """Cached, since rows of the same person or session are close together."""
        return lru_cache(maxsize=4096)(lambda pk: self._make(f"{kind}:{pk}"))

    def _make(self, what: str) -> str:
        """Return 12 letters and digits: 60 bits of HMAC-SHA256 in base 32."""
        # 10 bytes give 16 letters; 12 are used.
        return base64.b32encode(hmac.digest(self._key, what.encode(), "sha256")[:10])[:12].decode()
