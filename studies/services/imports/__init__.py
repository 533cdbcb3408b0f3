"""Bring clips into a study: all that a manifest names, or none."""

from __future__ import annotations

from studies.ingest.manifest import COLUMNS
from studies.services.imports.requests import import_folder, request_import, run_import

__all__ = ["COLUMNS", "import_folder", "request_import", "run_import"]
