"""Count the rows after a run, against what the client was told; printed as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.models import F, Q  # noqa: E402

from raters.models import Answer, Batch, Rating, Session, Trial, TrialClip  # noqa: E402
from studies.models import Study  # noqa: E402
from tests.processes.crowd import violations  # noqa: E402


def count(acknowledged: list[str]) -> dict[str, Any]:
    """Compare acknowledged keys with stored ones, of those who rate now, and look for every other breach."""
    mine = Session.objects.filter(ext_session__startswith="now-").values("pk")
    stored = [str(key) for key in Answer.objects.filter(trial__session__in=mine).values_list("idempotency", flat=True)]
    heard = TrialClip.objects.filter(trial__session__in=mine, trial__answered_at__isnull=False)
    earliest = [
        (answered - began).total_seconds() - (seconds - 0.25)
        for answered, began, seconds in heard.filter(play_began_at__isnull=False).values_list(
            "trial__answered_at", "play_began_at", "clip__duration"
        )
    ]
    settings = {}
    with connection.cursor() as cursor:
        for name in ("server_version", "fsync", "synchronous_commit"):
            cursor.execute(f"SHOW {name}")
            settings[name] = cursor.fetchone()[0]
    return {
        "acknowledged": len(acknowledged),
        "stored": len(stored),
        "lost": len(set(acknowledged) - set(stored)),
        "doubled": len(acknowledged) - len(set(acknowledged)) + len(stored) - len(set(stored)),
        "stored, not acknowledged": len(set(stored) - set(acknowledged)),
        "ratings": Rating.objects.filter(trial__session__in=mine).count(),
        "answered trials": Trial.objects.filter(session__in=mine, answered_at__isnull=False).count(),
        "sooner than the clip lasts": sum(left < 0 for left in earliest),
        "batches full": Batch.objects.filter(session__in=mine).exclude(state__in=["open", "expired"]).count(),
        "batches decided": Batch.objects.filter(session__in=mine, state="done").count(),
        "served out of turn": heard.filter(
            Q(trial__served_at=None) | Q(play_began_at__lt=F("trial__served_at"))
        ).count(),
        "breaches of the rules of places": violations(Study.objects.get()),
        **settings,
    }


if __name__ == "__main__":
    json.dump(count(json.load(sys.stdin)), sys.stdout)
