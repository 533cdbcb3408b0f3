"""The rules that took the newest finished batches of a study."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Q

from core.jobs import DONE
from raters.rating.models import Batch, Verdict

# So many of the newest batches are looked at, however large the study is.
NEWEST = 200


def taken_by_rule(study_id: int) -> dict[str, list[bool]]:
    """Return {rule: whether it took each of the newest finished batches of real raters, the oldest first}.

    A rule takes a batch by a verdict on it, its session or its rater. "" is in it always: all rules together. Two
    SELECTs.
    """
    done = Batch.objects.filter(session__study=study_id, session__simulated=False, state=DONE)
    newest = list(done.order_by("-ended_at", "-pk").values_list("pk", "session_id", "session__rater_id")[:NEWEST])
    batches, sessions, raters = zip(*newest, strict=True) if newest else ((), (), ())
    on_them = Q(batch__in=batches) | Q(session__in=set(sessions)) | Q(rater__in=set(raters))
    active = Verdict.objects.filter(on_them, usable=False, revoked_at=None)
    excluded: dict[str, set[tuple[str, int | None]]] = defaultdict(set)
    for rule, batch, session, rater in active.values_list("rule", "batch", "session", "rater"):
        subject = ("batch", batch) if batch else ("session", session) if session else ("rater", rater)
        for name in (rule, ""):
            excluded[name].add(subject)
    return {
        rule: [
            not excluded[rule].isdisjoint({("batch", batch), ("session", session), ("rater", rater)})
            for batch, session, rater in reversed(newest)
        ]
        for rule in ("", *sorted(excluded.keys() - {""}))
    }
