"""Prolific: people arrive by a link that carries three ids and perhaps a signature, and leave with a code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid
from raters.sources import signatures
from raters.sources.base import Arrival, Knock, Source, read

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.settings.crowd import Crowd

PARAMETERS = {
    "person": ("PROLIFIC_PID", "pid", "participant_label"),
    "study": ("STUDY_ID",),
    "session": ("SESSION_ID",),
}
TOKEN = "prolific_token"  # noqa: S105  (a parameter's name)
# Prolific's preview makes up ids of this form; those of real submissions have 24 hexadecimal digits.
MADE_UP = re.compile(r"(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{12}")


class Prolific(Source):
    """The platform of that name."""

    name = "prolific"
    label = "Prolific"
    place = "Prolific"
    advice = gettext_lazy("Paste this address as it stands into the study's URL at Prolific, which fills in the ids.")

    def parse(self, knock: Knock) -> Arrival:
        ids = read(knock.params, PARAMETERS)
        proof = self._proof(knock, ids)
        # A researcher who looks at their own study is nobody's rater: what they hear then is not what they heard.
        preview = MADE_UP.fullmatch(ids["session"]) is not None
        person = f"preview-{ids['session']}" if preview else ids["person"]
        return Arrival(self.name, person, ids["study"], ids["session"], proof, preview)

    def _proof(self, knock: Knock, ids: dict[str, str]) -> str:
        """Return how the link is proven; raises `Invalid` for a signature that is missing or wrong."""
        token, mode = knock.id(TOKEN), knock.crowd.signed_links
        if mode == "off" or (mode == "optional" and not token):
            return "unsigned"
        if not token:
            raise Invalid(_("This link carries no signature."), code="unsigned")
        page = f"{knock.base_url}/s/{knock.slug}/"
        claims = signatures.read(token, key=knock.key, audience=page, now=knock.now)
        told = claims.get("prolific")
        said = {str(name).lower(): str(value) for name, value in told.items()} if isinstance(told, dict) else {}
        # By the names that the researcher gave them in the link.
        signed = {
            key: next((said[name.lower()] for name in PARAMETERS[key] if name.lower() in said), "") for key in ids
        }
        if claims["sub"] != ids["session"] or signed != ids:
            raise Invalid(_("The signature belongs to another link."), code="bad_signature")
        return "signed"

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        filled_in_by_prolific = "&".join(
            f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        )
        return f"{base_url}/s/{slug}/?{filled_in_by_prolific}"

    def problems(self, crowd: Crowd) -> Iterator[Words]:
        if crowd.return_url and "{code}" not in crowd.return_url:
            yield _("The return URL holds no {code}: Prolific would not learn how a session ended.")
