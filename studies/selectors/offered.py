"""How many batches a rater of a study can be given."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Q

from studies.models import Item
from studies.protocols.validity import batches_offered
from studies.selectors import facts

# Clips may be added and withdrawn while raters work; what a page says follows within these seconds.
FRESH = 300


def batches(version_id: int, now: datetime) -> int:
    """Return the batches that traps, texts and the protocol allow; one aggregate over the items every five minutes."""
    return _batches(version_id, int(now.timestamp() // FRESH))


@lru_cache(maxsize=256)
def _batches(version_id: int, stamp: int) -> int:
    protocol = facts.frozen(version_id).protocol
    is_test = Q(role="test")
    items = Item.objects.filter(study__versions=version_id, withdrawn_at=None).aggregate(
        tests=Count("pk", filter=is_test),
        texts=Count("text", filter=is_test, distinct=True),
        textless=Count("pk", filter=is_test & Q(text=None)),
        flawed=Count("pk", filter=Q(role="trap_flawed")),
        human=Count("pk", filter=Q(role="trap_human")),
    )
    met = items["tests"] if protocol.repeat_text == "crossed" else items["texts"] + items["textless"]
    by_traps = batches_offered(protocol, items["flawed"], items["human"])
    return min(by_traps, int(met) // protocol.tests_per_batch)
