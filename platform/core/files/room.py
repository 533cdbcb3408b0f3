"""Room on this machine's disk: answers need little of it and come first, so imports stop before they fill it."""

from __future__ import annotations

import shutil

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Conflict

# In bytes, what imports leave free.
LEAST_FREE = 500 << 20


def require_room(size: int = 0) -> None:
    """Raise `Conflict` if `size` more bytes would leave too little room in the data folder."""
    free = shutil.disk_usage(settings.DATA).free
    if free - size < LEAST_FREE:
        message = _(
            "The server’s disk has only {free} MB left, and imports leave {least} MB for answers. "
            "Free some space, then import again."
        )
        raise Conflict(message.format(free=free >> 20, least=LEAST_FREE >> 20), code="disk_full")
