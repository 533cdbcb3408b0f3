"""Change single settings of a draft, whatever somebody else changes in it at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from studies.models import Study
from studies.presets.definition import Definition, change
from studies.services import studies


def change_settings(*, study: Study, changes: Mapping[str, Any], **words: str | None) -> Study:
    """Change dotted settings ({"protocol.ratings_wanted": 5}), title, notice or remark; raises `Invalid`."""
    with transaction.atomic():
        study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
        return studies.update_draft(study=study, raw=change(study.draft, changes), **words)


def tried(*, study: Study, changes: Mapping[str, Any]) -> Definition:
    """Return the draft as these changes would leave it, without writing anything; raises `Invalid`."""
    return studies.checked_draft(study=study, raw=change(study.draft, changes))
