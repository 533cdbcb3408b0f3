"""Keep what only a rater or an expert knows out of the logs."""

from __future__ import annotations

import logging
import re

# The end of such an address is the name of one rater's trial or clip, or lets an expert in.
KEYED = re.compile(r"(/rate/[^/\s]+/(?:api/\w+|audio)/|/experts/(?:invitation|studies/[^/\s]+/audio)/)\S+")


class WithoutKeys(logging.Filter):
    """Shorten the addresses of trials, clips and invitations in what is logged about a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(KEYED.sub(r"\1…", arg) if isinstance(arg, str) else arg for arg in record.args)
        return True
