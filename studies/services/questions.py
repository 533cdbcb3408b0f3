"""Take questions out of a study that raters haven't met."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from studies.models import Question, Study


def remove(*, questions: Collection[int]) -> int:
    """Delete questions of studies that were never launched. Returns how many are gone."""
    with transaction.atomic():
        rows = Question.objects.filter(pk__in=questions)
        studies = Study.objects.filter(pk__in=rows.values("study")).order_by("pk").select_for_update(no_key=True)
        if any(study.launched_at for study in studies):
            raise Conflict(_("Questions of a launched study stay as they are."), code="launched")
        number, _models = rows.delete()
    return number
