"""The documentation as a site: `.venv/bin/sphinx-build docs build/site`. `./check` builds it; a warning fails it."""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("EARSHOT_SECRET_KEY", secrets.token_urlsafe(48))
os.environ.setdefault("EARSHOT_DATA", tempfile.mkdtemp(prefix="earshot-docs-"))

project = "Earshot"
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
language = "en"

extensions = ["myst_parser", "reference"]
exclude_patterns = ["reference/README.md"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"Earshot {release}"
html_show_sphinx = False
