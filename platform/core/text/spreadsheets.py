"""Make text safe for spreadsheets."""

from __future__ import annotations

import unicodedata

# Characters that start a formula, and those that a spreadsheet skips before them.
FORMULA = frozenset("=+-@")
CONTROLS = frozenset("\t\r\n\0")


def neutral(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would evaluate (OWASP: CSV injection), full-width signs too."""
    if not text or text[0].isalnum():
        return text
    seen = text.lstrip().lstrip("\0\ufeff\u200b").lstrip()
    begins = unicodedata.normalize("NFKC", seen[:1])
    return f"'{text}" if text[:1] in CONTROLS or begins[:1] in FORMULA else text
