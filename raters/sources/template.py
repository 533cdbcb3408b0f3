"""Any platform whose link carries ids: the study says what they are called, and where people are sent back to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid
from raters.sources.base import ArrivalRequest, RaterArrival, RaterSource, read_ids

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.settings.crowd import Crowd


class AnyPlatformSource(RaterSource):
    """SONA, CloudResearch Connect, Microworkers and their like."""

    name = "template"
    label = gettext_lazy("Another platform, by the names of its parameters")
    recruited = gettext_lazy("[state the platform]")
    advice = gettext_lazy("Put the platform's own placeholder in place of each word in capitals.")

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        names = parameters(knock.crowd)
        ids = read_ids(knock.params, {key: (name,) for key, name in names.items()})
        # Otherwise all visitors by such a link would be the same person.
        if unfilled := [names[key] for key, value in ids.items() if value == key.upper()]:
            raise Invalid(
                _("The link still holds placeholders instead of ids."),
                {name: _("This is the placeholder itself, not an id.") for name in unfilled},
                code="placeholder",
            )
        return RaterArrival(
            source=self.name,
            # A session's number alone means another person in another study.
            person=ids.get("person", f"{knock.slug}-{ids['session']}"),
            study=ids.get("study", knock.slug),
            session=ids["session"],
        )

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        query = "&".join(f"{name}={key.upper()}" for key, name in parameters(crowd).items())
        return f"{base_url}/s/{slug}/?{query}"

    def problems(self, crowd: Crowd) -> Iterator[Words]:
        names = [name.lower() for name in parameters(crowd).values()]
        if len(set(names)) < len(names):
            yield _("Two of the link's parameters have the same name, under Crowd.")


def parameters(crowd: Crowd) -> dict[str, str]:
    """Return {key: name of the link's parameter}, those left out that the study doesn't use."""
    names = {"person": crowd.person_parameter, "study": crowd.study_parameter, "session": crowd.session_parameter}
    return {key: name for key, name in names.items() if name}
