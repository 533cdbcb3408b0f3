"""What raters did, to be read: corrections are verdicts, which can be undone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.scoping import OwnFilter, OwnRows, ReadOnly
from core.errors import NotFound
from raters import sources
from raters.models import Answer, Batch, Session, Verdict

if TYPE_CHECKING:
    from studies.models import Study


def pretty(value: Any) -> SafeString:
    """Return a JSON value as indented text."""
    return format_html('<pre class="frozen">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False))


def link_panel(study: Study) -> SafeString:
    """Return the address to paste into the crowd platform that the study names."""
    try:
        source = sources.get(study.definition.crowd.source)
    except NotFound as error:
        return format_html("<p>{}</p>", error.message)
    link = source.link(settings.BASE_URL, study.slug)
    says = _("Give this address to %(source)s as it is; it fills in who comes. It works while the study is live.")
    return format_html('<p>{}</p><pre class="frozen">{}</pre>', says % {"source": source.label}, link)


@admin.register(Session)
class SessionAdmin(OwnRows[Session], ReadOnly[Session]):
    """Found by the id that the crowd platform shows to the researcher."""

    list_display = ("id", "study", "rater", "source", "ext_session", "step", "outcome", "simulated", "arrived_at")
    list_filter = (("study", OwnFilter), "simulated", "step", "outcome")
    list_select_related = ("study", "rater")
    search_fields = ("=ext_session", "=ext_study")
    search_help_text = _("Session or study id of the crowd platform, whole")
    date_hierarchy = "arrived_at"
    show_full_result_count = False
    exclude = ("tab",)


@admin.register(Batch)
class BatchAdmin(OwnRows[Batch], ReadOnly[Batch]):
    """Whether the batch counts, and how its traps were answered."""

    owner = "session__study__owner"
    list_display = ("id", "session", "number", "state", "valid", "opened_at", "ended_at")
    list_filter = (("session__study", OwnFilter), "state", "valid")
    list_select_related = ("session",)
    search_fields = ("=session__ext_session",)
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("session", "number", "size", "state", "valid", "traps", "opened_at", "expired_at", "ended_at", "error")

    @admin.display(description=_("traps"))
    def traps(self, batch: Batch) -> SafeString:
        return pretty(batch.trap_counts)


@admin.register(Answer)
class AnswerAdmin(OwnRows[Answer], ReadOnly[Answer]):
    """The answer as it was sent, and the evidence kept with it."""

    owner = "trial__session__study__owner"
    list_display = ("trial", "said", "reason", "usable", "flags", "at")
    list_filter = (("trial__session__study", OwnFilter), "trial__usable", "trial__late")
    list_select_related = ("trial__session", "trial__batch__session")
    search_fields = ("=trial__session__ext_session",)
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("trial", "session", "usable", "flags", "said", "reason", "at", "kept")

    @admin.display(description=_("session"))
    def session(self, answer: Answer) -> str:
        return str(answer.trial.session)

    @admin.display(description=_("answer"))
    def said(self, answer: Answer) -> str:
        return ", ".join(f"{key}: {value}" for key, value in answer.body.items() if key != "reason")

    @admin.display(description=_("usable"), boolean=True, ordering="trial__usable")
    def usable(self, answer: Answer) -> bool | None:
        return answer.trial.usable

    @admin.display(description=_("flags"))
    def flags(self, answer: Answer) -> str:
        trial = answer.trial
        return ", ".join(str(word) for flag, word in ((trial.late, _("late")), (trial.surplus, _("surplus"))) if flag)

    @admin.display(description=_("evidence"))
    def kept(self, answer: Answer) -> SafeString:
        return pretty(answer.evidence)


@admin.register(Verdict)
class VerdictAdmin(OwnRows[Verdict], ReadOnly[Verdict]):
    """Who or what decided, when, under which rule, and whether it was taken back."""

    list_display = ("rule", "rule_version", "usable", "about", "by", "at", "revoked_at")
    list_filter = ("rule", "usable", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("answer__trial__batch__session", "batch__session", "session", "rater", "clip", "by")
    search_fields = ("=session__ext_session", "=batch__session__ext_session", "=answer__trial__session__ext_session")
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("rule", "rule_version", "usable", "about", "by", "at", "revoked_at", "why")

    def owned_by(self, rows: QuerySet[Verdict], user: Any) -> QuerySet[Verdict]:
        own_raters = Session.objects.filter(study__owner=user).values("rater")
        return rows.filter(
            Q(answer__trial__session__study__owner=user)
            | Q(batch__session__study__owner=user)
            | Q(session__study__owner=user)
            | Q(clip__study__owner=user)
            | Q(rater__in=own_raters)
        )

    @admin.display(description=_("about"))
    def about(self, verdict: Verdict) -> str:
        things = (verdict.answer, verdict.batch, verdict.session, verdict.rater, verdict.clip)
        return next(str(thing) for thing in things if thing is not None)

    @admin.display(description=_("detail"))
    def why(self, verdict: Verdict) -> SafeString:
        return pretty(verdict.detail)
