"""Clips that a speech recognizer misunderstood, by imported word error rates; for the page of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from analysis.metrics import queries

# Usual names of word and character error rates.
NAMED = re.compile(r"(?<![a-z])([wc]er|(word|character)[ _-]error)(?![a-z])", re.IGNORECASE)
# Above this rate, a clip hardly matches its text, with any recognizer.
HIGH = 0.5
# Rates never exceed this, so larger numbers are percentages.
MOST = 5.0


def doubts(study_id: int) -> Mapping[int, str]:
    """Return {clip: sentence} of clips with a high error rate; one SELECT per metric of this kind."""
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
