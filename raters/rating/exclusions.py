"""The rules that excluded a study's newest batches."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Q

from core.jobs import DONE
from raters.rating.models import Batch, Verdict

# Batches considered, so that the cost doesn't grow with the study.
NEWEST = 200


def taken_by_rule(study_id: int) -> dict[str, list[bool]]:
    """Return {rule: [whether it excluded each of the newest finished batches of real raters, oldest first]}.

    A rule excludes a batch by a verdict on it, its session or its rater. "" stands for all rules together and is always
    included. Two SELECTs.
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
