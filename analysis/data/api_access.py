"""Whose results they are, and when scores may be seen: as on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.data import hiding
from analysis.data.hiding import scores_are_hidden
from core import clock
from core.errors import DomainError
from studies.api import listing
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class Hidden(DomainError):
    """Scores are hidden from this person until the study is closed."""

    status = 403
    code = "scores_hidden"


def of_study(request: Request, slug: str, needs: Capability | None = None) -> Study:
    """Return the study to those who may see it, or change it in other requests; raise `NotFound` or `NotAllowed`."""
    usual = Capability.SEE_STUDY if request.method in {"GET", "HEAD"} else Capability.CHANGE_STUDY
    return listing.own(request.user, slug, needs or usual)


def seeing_scores(request: Request, slug: str, what: str) -> Study:
    """Return the study and log that its scores are seen; raises `NotFound`, and `Hidden` while they are hidden."""
    study = of_study(request, slug)
    if scores_are_hidden(study, request.user):
        raise Hidden(
            _("Scores are hidden until the study is closed. Its page says who may open them earlier, and how.")
        )
    hiding.log_sight(study=study, user=request.user, what=f"api {what}", now=clock.now())
    return study
