"""The folder of the code, templates and static files; the default data folder; the name of the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Holds templates, static files and locale.
ROOT = Path(__file__).resolve().parents[2]
# Where packages are imported from.
FOLDERS = (ROOT, ROOT / "platform")
# Only a clone has `./run`, and installs packages; a wheel and an image bring theirs.
IS_CLONE = (ROOT / "run").exists()
# What people type, for messages: `earshot manage …` and `earshot run --port …`.
PROGRAM, START = ("./run", "./run") if IS_CLONE else ("earshot", "earshot run")


def default_data() -> Path:
    """Return `data` in a clone that this account may write; otherwise a folder in the account's home."""
    data = ROOT / "data"
    if IS_CLONE and os.access(data if data.exists() else ROOT, os.W_OK):
        return data
    usual = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / usual) / "earshot"
