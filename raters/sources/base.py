"""What a crowd source must say: how its people arrive, and how they are sent back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from django.utils.translation import gettext as _

from core.errors import Invalid

if TYPE_CHECKING:
    from studies.presets.definition import Crowd

ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
# A platform's placeholder that nobody filled in, plain or percent-encoded once more.
PLACEHOLDER = re.compile(r"\{\{|\}\}|%7B%7B", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who came through a link: the platform's ids of the person, of its study and of its session."""

    source: str
    person: str
    study: str
    session: str


class Source(ABC):
    """A place that people come from."""

    name: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def parse(self, params: Mapping[str, str]) -> Arrival:
        """Read who arrives; raises `Invalid` with code missing_parameter, placeholder or bad_id."""

    @abstractmethod
    def link(self, base_url: str, slug: str) -> str:
        """Return the address that a researcher pastes into the platform."""

    def leave(self, crowd: Crowd, outcome: str, code: str) -> str | None:
        """Return where the last page leads; None when none is set, or its code is missing."""
        template = crowd.return_url
        if not template.startswith("https://") or ("{code}" in template and not code):
            return None
        return template.replace("{code}", quote(code, safe=""))


def completion_code(crowd: Crowd, outcome: str) -> str:
    """Return the code that belongs to a session's outcome; empty when the study has set none."""
    codes = {"complete": crowd.completion_code, "declined": crowd.declined_code, "withdrawn": crowd.withdrawn_code}
    return codes.get(outcome, "")


def read(params: Mapping[str, str], names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the ids under `names` ({key: accepted parameter names, in any case}); raises `Invalid`."""
    given = {name.lower(): value.strip() for name, value in params.items()}
    ids = {key: next((given[alias] for alias in known if given.get(alias)), "") for key, known in names.items()}
    shown = {key: known[0].upper() for key, known in names.items()}
    if unfilled := [key for key, value in ids.items() if PLACEHOLDER.search(value)]:
        raise Invalid(
            _("The link still holds placeholders instead of ids."),
            {shown[key]: _("This is the placeholder itself, not an id.") for key in unfilled},
            code="placeholder",
        )
    if missing := [key for key, value in ids.items() if not value]:
        raise Invalid(
            _("The link is incomplete."),
            {shown[key]: _("This parameter is missing.") for key in missing},
            code="missing_parameter",
        )
    if odd := [key for key, value in ids.items() if not ID.fullmatch(value)]:
        raise Invalid(
            _("The link holds an id of an unknown form."),
            {shown[key]: _("Use 1 to 128 letters, digits, hyphens or underscores.") for key in odd},
            code="bad_id",
        )
    return ids
