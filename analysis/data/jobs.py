"""What the jobs of results have in common: another worker took one over, and why one failed."""

from __future__ import annotations

import errno

from django.db import DatabaseError
from django.utils.translation import gettext as _

FULL = {errno.ENOSPC, errno.EDQUOT}


class TakenOver(Exception):
    """Another worker has this row now."""


def explain(error: Exception) -> str:
    """Say what went wrong in words that somebody can act on."""
    if isinstance(error, OSError) and error.errno in FULL:
        return _("There is no room left on the server’s disk. Free some space, then try again.")
    if isinstance(error, PermissionError):
        return _("The server may not write to its own data folder. Give it the right to, then try again.")
    if isinstance(error, DatabaseError):
        return _("The database did not answer. Try again in a minute.")
    return _("Something unforeseen went wrong ({name}); the worker’s log says where. Try again.").format(
        name=type(error).__name__
    )
