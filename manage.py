#!/usr/bin/env python
"""Run a management command."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    # platform/ is a folder of packages, not a package: it would shadow the standard library's module of that name.
    sys.path.insert(1, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from core import clock
    from core.paths import PROGRAM

    clock.compare_when_asked()
    try:
        # Help and usage name what people type.
        execute_from_command_line([f"{PROGRAM} manage", *sys.argv[1:]])
    except ImproperlyConfigured as error:
        # Sentences for whoever set them; a traceback would bury them.
        sys.exit(f"CommandError: {str(error).strip()}")


if __name__ == "__main__":
    main()
