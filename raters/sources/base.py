"""What a crowd source must say: how its people arrive, and how they are sent back. Payments are optional."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid

if TYPE_CHECKING:
    from datetime import datetime

    from django.utils.functional import _StrOrPromise as Words

    from raters.sources.payment_platform import PaymentPlatform
    from studies.definition.settings.crowd import Crowd

ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
# A platform's unfilled placeholder, plain or percent-encoded.
PLACEHOLDER = re.compile(r"\{\{|\}\}|%7B%7B|^%\w+%$|^\$\{\w+\}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArrivalRequest:
    """A visit by a study's link: what the link and the browser say; nothing is stored yet."""

    study_id: int
    slug: str
    crowd: Crowd
    params: Mapping[str, str]
    now: datetime
    base_url: str
    # What this browser was called when it came before; only for a source that goes by browsers.
    browser: str
    # 128 random bits, for a source that gives out names itself.
    fresh: str
    # Returns the public key with this name that the platform signs by, or None.
    key: Callable[[str], Mapping[str, Any] | None]

    def id(self, name: str) -> str:
        """Return one of the link's parameters, whatever the case of its name."""
        return next((value.strip() for known, value in self.params.items() if known.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class RaterArrival:
    """Who came through a link: the platform's ids of the person, of its study and of its session."""

    source: str
    person: str
    study: str
    session: str
    # How far it is known who this is: unsigned, signed, invited or anonymous.
    proof: str = "unsigned"
    # A researcher's preview: it is not counted.
    preview: bool = False
    # Whether the platform reuses a returned session's id for another person.
    passed_on: bool = False


@dataclass(frozen=True, slots=True)
class EntryPage:
    """A page before the session, which is created later or elsewhere."""

    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    # Whether a POST of this page continues to the session.
    opens: bool = False
    # Origins that may show the page in a frame, and that its forms may be sent to.
    hosts: tuple[str, ...] = ()


class RaterSource(ABC):
    """A place that people come from."""

    name: ClassVar[str]
    label: ClassVar[Words]
    # What raters call the place; empty: the pages speak of no place.
    place: ClassVar[Words] = ""
    # What a report says its people were recruited through, where that is not the label.
    recruited: ClassVar[Words] = ""
    # What the researcher does with the link.
    advice: ClassVar[Words] = gettext_lazy("Give this address to the platform that your raters come from.")
    # Whether a study may name it; a preview's source is for every study.
    offered: ClassVar[bool] = True
    # Whether people hand in a code there.
    codes: ClassVar[bool] = True
    # {outcome: type and action of its completion code at the platform}; shown next to the link. Empty: nothing to say.
    code_advice: ClassVar[Mapping[str, Words]] = {}
    # The platform's own return URL; empty: each study has another.
    return_url: ClassVar[str] = ""
    # Whether the last page may lead anywhere.
    leads_back: ClassVar[bool] = True
    # Whether it tells people apart by their browsers.
    by_browser: ClassVar[bool] = False
    # Where its people's submissions are read and paid; None: the researcher pays elsewhere.
    payment_platform: ClassVar[PaymentPlatform | None] = None

    @property
    def keys_url(self) -> str:
        """Return where the platform publishes the keys by which it signs its links; empty: it signs none."""
        return ""

    @abstractmethod
    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        """Read who arrives; raises `Invalid` with a code that `raters.notices` has words for."""

    @abstractmethod
    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        """Return the address that a researcher gives to the platform."""

    def entry_page(self, knock: ArrivalRequest) -> EntryPage | None:
        """Return the page before the session, if there is one."""
        return None

    def problems(self, crowd: Crowd) -> Iterator[Words]:
        """Yield what a researcher should fix before the launch."""
        return iter(())

    def return_address(self, crowd: Crowd, arrival: RaterArrival, outcome: str, *, payable: bool | None) -> str | None:
        """Return where the last page leads; None when none is set, its code is missing or it isn't for this outcome."""
        template, code = crowd.return_url, crowd.code(outcome) if self.codes else ""
        if not template.startswith("https://") or ("{code}" in template and not code):
            return None
        # The same address for everyone would also credit people who left or whose pay is undecided.
        if credits_all(crowd) and not payable:
            return None
        ids = {"person": arrival.person, "study": arrival.study, "session": arrival.session}
        for name, value in {"code": code, "outcome": outcome, **ids}.items():
            template = template.replace(f"{{{name}}}", quote(value, safe=""))
        return template


def credits_all(crowd: Crowd) -> bool:
    """Say whether the return URL is the same however a session ended."""
    return bool(crowd.return_url) and "{code}" not in crowd.return_url and "{outcome}" not in crowd.return_url


def read_ids(params: Mapping[str, str], names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the ids under `names` ({key: accepted parameter names, in any case}); raises `Invalid`."""
    values = {name.lower(): value.strip() for name, value in params.items()}
    ids = {
        key: next((values[alias.lower()] for alias in known if values.get(alias.lower())), "")
        for key, known in names.items()
    }
    first_names = {key: known[0] for key, known in names.items()}
    if unfilled := [key for key, value in ids.items() if PLACEHOLDER.search(value)]:
        raise Invalid(
            _("The link still holds placeholders instead of ids."),
            {first_names[key]: _("This is the placeholder itself, not an id.") for key in unfilled},
            code="placeholder",
        )
    if missing := [key for key, value in ids.items() if not value]:
        raise Invalid(
            _("The link is incomplete."),
            {first_names[key]: _("This parameter is missing.") for key in missing},
            code="missing_parameter",
        )
    if odd := [key for key, value in ids.items() if not ID.fullmatch(value)]:
        raise Invalid(
            _("The link holds an id of an unknown form."),
            {first_names[key]: _("Use 1 to 128 letters, digits, hyphens or underscores.") for key in odd},
            code="bad_id",
        )
    return ids
