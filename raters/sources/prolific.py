"""Prolific: people arrive by a link that carries three ids, and leave with a code."""

from __future__ import annotations

from collections.abc import Mapping

from raters.sources.base import Arrival, Source, read

PARAMETERS = {
    "person": ("prolific_pid", "pid", "participant_label"),
    "study": ("study_id",),
    "session": ("session_id",),
}


class Prolific(Source):
    """The platform of that name."""

    name = "prolific"
    label = "Prolific"

    def parse(self, params: Mapping[str, str]) -> Arrival:
        return Arrival(source=self.name, **read(params, PARAMETERS))

    def link(self, base_url: str, slug: str) -> str:
        filled_in_by_prolific = "&".join(
            f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        )
        return f"{base_url}/s/{slug}/?{filled_in_by_prolific}"
