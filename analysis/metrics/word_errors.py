"""Clips that a recogniser understood as other words: imported word error rates, for the page of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from analysis.metrics import queries

# As metrics are named that people import.
NAMED = re.compile(r"(?<![a-z])([wc]er|(word|character)[ _-]error)(?![a-z])", re.IGNORECASE)
# A clip above this rate hardly says its text, whatever recogniser was used.
HIGH = 0.5
# No rate is above this, so that larger numbers are percentages.
MOST = 5.0


def doubts(study_id: int) -> Mapping[int, str]:
    """Return {clip: sentence} of clips with a high error rate; one SELECT for each metric of this kind."""
    found: dict[int, str] = {}
    for metric in queries.sets(study_id):
        if not NAMED.search(metric.name):
            continue
        values = queries.values(metric.pk)
        scale = 100.0 if max([metric.high or 0.0, *values.values()]) > MOST else 1.0
        for clip, value in values.items():
            if value / scale > HIGH:
                text = _("{metric}: {percent} % of its words are recognized differently.")
                found.setdefault(clip, text.format(metric=metric.name, percent=round(100 * value / scale)))
    return found
