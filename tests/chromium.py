"""Where Chromium is, and how tests and benches start it."""

from __future__ import annotations

import os

FLAGS = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable() -> str:
    return os.environ.get("EARSHOT_CHROMIUM") or os.environ.get("EARSHOT_TEST_CHROMIUM") or "/usr/bin/chromium"
