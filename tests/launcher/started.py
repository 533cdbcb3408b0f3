"""What tests of the started launcher share."""

from __future__ import annotations

import os


def bare_environment() -> dict[str, str]:
    """Return the environment of somebody who has set nothing of Earshot's."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "DJANGO_"))}
