"""The page History: what people changed in a study, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from studies.definition.models import Study as StudyModel
from studies.members.pages import of_study, show

if TYPE_CHECKING:
    from studies.definition.models import Study

ON_A_PAGE = 100


@require_GET
@of_study
def history_page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the changes of a study, a hundred on a page."""
    entries = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(StudyModel), object_id=str(study.pk)
    ).select_related("user")
    page = Paginator(entries.order_by("-action_time", "-pk"), ON_A_PAGE).get_page(request.GET.get("page"))
    return show(request, study, "studies/members/history.html", _("History"), {"page": page})
