"""The platform's API as the settings name it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from launcher.findings import OK, PROBLEM, Finding
from raters.sources.client.problems import NotSent, NotSetUp, Refused, Unclear

if TYPE_CHECKING:
    from raters.sources.client.prolific import Prolific


def is_configured() -> bool:
    """Say whether there is a token, without loading what would use it."""
    return bool(settings.PROLIFIC_TOKEN)


def prolific() -> Prolific:
    """Return Prolific's API; raises `NotSetUp` without a token. For jobs: pages don't wait for other servers."""
    from raters.sources.client.prolific import Prolific
    from raters.sources.client.transport import Transport

    if not is_configured():
        raise NotSetUp(_("No token for Prolific is set on this server."))
    return Prolific(Transport(settings.PROLIFIC_API, settings.PROLIFIC_TOKEN))


def examine() -> Iterator[Finding]:
    """Yield whether Prolific takes the token that the settings name."""
    if not is_configured():
        yield Finding("Prolific", OK, "no token is set; people are paid on Prolific's own pages")
        return
    try:
        name = prolific().account()
    except (NotSent, NotSetUp, Refused, Unclear) as error:
        remedy = "Make a new token on Prolific, and set EARSHOT_PROLIFIC_TOKEN (docs/paying.md)."
        yield Finding("Prolific", PROBLEM, error.message, remedy)
        return
    yield Finding("Prolific", OK, f"the token of {name} is taken")
