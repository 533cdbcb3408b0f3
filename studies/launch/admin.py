"""Read-only admin of frozen versions."""

from __future__ import annotations

import json

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.users.own_rows import OwnFilter, ReadOnly
from studies.definition.models import StudyVersion
from studies.members.rows import StudyRows


@admin.register(StudyVersion)
class StudyVersionAdmin(StudyRows[StudyVersion], ReadOnly[StudyVersion]):
    """A version as raters saw it, with its fingerprint."""

    list_display = ("study", "number", "published_at", "fingerprint")
    list_filter = (("study", OwnFilter),)
    list_select_related = ("study",)
    fields = ("study", "number", "published_at", "fingerprint", "settings")
    readonly_fields = ("settings",)

    @admin.display(description=_("fingerprint (SHA-256)"))
    def fingerprint(self, version: StudyVersion) -> str:
        return version.sha256

    @admin.display(description=_("settings"))
    def settings(self, version: StudyVersion) -> SafeString:
        text = json.dumps(version.definition, indent=2, ensure_ascii=False)
        return format_html('<pre class="frozen">{}</pre>', text)
