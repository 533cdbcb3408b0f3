"""Interface of crowd sources: how people arrive, and how they are sent back."""

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
    """A visit to a study link: parameters and browser. Nothing is stored yet."""

    study_id: int
    slug: str
    crowd: Crowd
    params: Mapping[str, str]
    now: datetime
    base_url: str
    # The browser's name from an earlier visit; only for sources that identify browsers.
    browser: str
    # 128 random bits, for sources that create their own names.
    fresh: str
    # Returns the platform's public key with this name, or None.
    key: Callable[[str], Mapping[str, Any] | None]

    def id(self, name: str) -> str:
        """Return a parameter of the link by name, ignoring case."""
        return next((value.strip() for known, value in self.params.items() if known.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class RaterArrival:
    """A person's arrival: the platform's ids of the person, its study and its session."""

    source: str
    person: str
    study: str
    session: str
    # How reliably the person is identified: unsigned, signed, invited or anonymous.
    proof: str = "unsigned"
    # A researcher's preview, which isn't counted.
    preview: bool = False
    # True if the platform reuses a returned session's id for another person.
    passed_on: bool = False


@dataclass(frozen=True, slots=True)
class EntryPage:
    """A page shown before the session is created."""

    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    # True if a POST of this page creates the session.
    opens: bool = False
    # Origins that may frame the page and receive its forms.
    hosts: tuple[str, ...] = ()


class RaterSource(ABC):
    """A crowd source: a platform or another way for raters to reach a study."""

    name: ClassVar[str]
    label: ClassVar[Words]
    # Name of the platform for raters; empty: pages mention none.
    place: ClassVar[Words] = ""
    # "Recruited through …" in reports, if different from the label.
    recruited: ClassVar[Words] = ""
    # Instruction for the researcher on using the link.
    advice: ClassVar[Words] = gettext_lazy("Give this address to the platform that your raters come from.")
    # False for the source of previews, which studies can't choose.
    offered: ClassVar[bool] = True
    # True if the platform has closed: forms offer it only to studies that have it.
    is_closed: ClassVar[bool] = False
    # True if people submit a completion code there.
    codes: ClassVar[bool] = True
    # The platform's usual fee in percent of pay and bonus, without VAT; None: unknown.
    fee_percent: ClassVar[float | None] = None
    # {outcome: type and action of its completion code at the platform}; shown next to the link.
    code_advice: ClassVar[Mapping[str, Words]] = {}
    # The platform's return URL; empty if each study has its own.
    return_url: ClassVar[str] = ""
    # True if the last page may link back to the platform.
    leads_back: ClassVar[bool] = True
    # True if people are identified by their browsers.
    by_browser: ClassVar[bool] = False
    # Where submissions are read and paid; None: researchers pay elsewhere.
    payment_platform: ClassVar[PaymentPlatform | None] = None

    @property
    def keys_url(self) -> str:
        """Address of the public keys for signed links; empty if links aren't signed."""
        return ""

    @abstractmethod
    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        """Read a person's ids; raises `Invalid` with a code known to `raters.people.notices`."""

    @abstractmethod
    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        """Return the link that the researcher gives to the platform."""

    def entry_page(self, knock: ArrivalRequest) -> EntryPage | None:
        """Return the page to show before the session, if any."""
        return None

    def problems(self, crowd: Crowd) -> Iterator[Words]:
        """Yield problems that a researcher should fix before the launch."""
        return iter(())

    def return_address(self, crowd: Crowd, arrival: RaterArrival, outcome: str, *, payable: bool | None) -> str | None:
        """Return the way back from the last page; None if not set, without its code, or not for this outcome."""
        template, code = crowd.return_url, crowd.code(outcome) if self.codes else ""
        if not template.startswith("https://") or ("{code}" in template and not code):
            return None
        # A fixed address would also credit people who left or with undecided pay.
        if credits_all(crowd) and not payable:
            return None
        ids = {"person": arrival.person, "study": arrival.study, "session": arrival.session}
        for name, value in {"code": code, "outcome": outcome, **ids}.items():
            template = template.replace(f"{{{name}}}", quote(value, safe=""))
        return template


def credits_all(crowd: Crowd) -> bool:
    """True if the return URL is the same for every outcome."""
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
