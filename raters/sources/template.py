"""Any platform that passes ids in the link; the study names the parameters and the return URL."""

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
    """SONA, CloudResearch Connect, Microworkers and similar platforms."""

    name = "template"
    label = gettext_lazy("Another platform, by the names of its parameters")
    recruited = gettext_lazy("[state the platform]")
    advice = gettext_lazy("Put the platform’s own placeholder in place of each word in capitals.")

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        names = parameters(knock.crowd)
        ids = read_ids(knock.params, {key: (name,) for key, name in names.items()})
        # Otherwise all visitors with this link would be the same person.
        if unfilled := [names[key] for key, value in ids.items() if value == key.upper()]:
            raise Invalid(
                _("The link still holds placeholders instead of ids."),
                {name: _("This is the placeholder itself, not an id.") for name in unfilled},
                code="placeholder",
            )
        return RaterArrival(
            source=self.name,
            # Without a person id, the session id identifies people, but only within the study.
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
            yield _("Two of the link’s parameters have the same name, under Crowd.")


def parameters(crowd: Crowd) -> dict[str, str]:
    """Return {key: parameter name}, without unused ones."""
    names = {"person": crowd.person_parameter, "study": crowd.study_parameter, "session": crowd.session_parameter}
    return {key: name for key, name in names.items() if name}
