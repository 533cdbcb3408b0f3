"""What a rater's page is told, as JSON: the same for the page itself and for every answer's response."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.urls import reverse

from raters.selectors.progress import ClipSlot, Ended, Progress


def as_json(progress: Progress, slug: str) -> dict[str, Any]:
    """Describe what the page shows. Nothing here tells one clip from another but the duration of a clip that is alone.

    That is rounded: to the microsecond, it would tell the sample rate of the original. Beside others it isn't told: the
    hidden reference would be as long as the one that is shown.
    """
    if isinstance(progress, Ended):
        return {"state": "ended", "tab": progress.tab}

    def address(clip: ClipSlot) -> str:
        return _audio(slug) + clip.key

    trial = progress.trial
    seconds = {"seconds": round(trial.clips[0].seconds, 2)} if len(trial.clips) == 1 else {}
    return {
        "state": "trial",
        "tab": progress.tab,
        "saved": progress.saved,
        "set": progress.batch,
        "sets": progress.batches,
        "position": trial.position,
        "size": progress.size,
        "minutes_left": progress.minutes_left,
        "trial": {
            "token": trial.token,
            "shown": trial.shown["public"],
            "clips": [{"key": clip.key, "url": address(clip)} | seconds for clip in trial.clips],
            "max_plays": progress.max_plays,
            "interruption": progress.interruption,
            "playback": progress.playback,
        },
        "next": [{"url": address(clip)} for clip in progress.ahead],
    }


@lru_cache(maxsize=256)
def _audio(slug: str) -> str:
    """Return what the addresses of a study's clips begin with; made once, since every answer names three of them."""
    return reverse("raters:audio", args=[slug, "0"]).removesuffix("0")
