"""The one folder that everything beside the code is found from, and the default folder of data."""

from __future__ import annotations

import os
from pathlib import Path

# Holds templates, static files and locale.
ROOT = Path(__file__).resolve().parents[2]


def default_data() -> Path:
    """Return `data` in a clone that this account may write; otherwise a folder in the account's home."""
    data = ROOT / "data"
    if (ROOT / "run").exists() and os.access(data if data.exists() else ROOT, os.W_OK):
        return data
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "earshot"
