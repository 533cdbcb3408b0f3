"""Read-only admin pages of verdicts, which can be revoked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.users.own_rows import IndexedValues
from core import clock
from raters.people.models import Session
from raters.rating import verdicts
from raters.rating.models import Verdict
from raters.rating.rule_names import rule_name
from raters.sessions.admin import AT_ONCE, ConfirmedAdmin, rows_of
from raters.sessions.readable import readable
from studies.members import access
from studies.rules.roles import Capability


class RuleFilter(IndexedValues):
    """A filter by rules, shown by their names."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        everything, *rules = super().choices(changelist)
        yield everything
        for choice in rules:
            yield {**choice, "display": rule_name(str(choice["display"]))}


@admin.register(Verdict)
class VerdictAdmin(ConfirmedAdmin[Verdict]):
    """Verdicts: by whom or what, when, under which rule, and whether revoked."""

    sees = Capability.SEE_SCORES
    is_searched_by_ids = True
    hides_previews = False
    actions = ("take_back",)
    list_display = ("rule_in_words", "rule_version", "usable", "about", "by", "at", "revoked_at")
    # Newest first, by the primary key. Even by the rule, which has an index, the verdicts of a rule would be sorted.
    sortable_by = ()
    list_filter = (("rule", RuleFilter), "usable", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("answer__trial__batch__session", "batch__session", "session", "rater", "clip", "by")
    # `get_search_results` searches; the field only makes the admin offer it.
    search_fields = ("=session__ext_session",)
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("rule_in_words", "rule_version", "usable", "about", "by", "at", "revoked_at", "why")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Verdict], search_term: str
    ) -> tuple[QuerySet[Verdict], bool]:
        if not search_term:
            return queryset, False
        sessions, batches, answers = rows_of(search_term)
        return queryset.filter(Q(session__in=sessions) | Q(batch__in=batches) | Q(answer__in=answers)), False

    def of_studies(self, rows: QuerySet[Verdict], user: Any, capability: Capability) -> QuerySet[Verdict]:
        studies = access.visible(user, capability).values("pk")
        return rows.filter(
            Q(answer__trial__session__study__in=studies)
            | Q(batch__session__study__in=studies)
            | Q(session__study__in=studies)
            | Q(clip__study__in=studies)
            | Q(rater__in=Session.objects.filter(study__in=studies).values("rater"))
        )

    @admin.action(description=_("Revoke verdicts…"), permissions=["take_back"])
    def take_back(self, request: HttpRequest, chosen: QuerySet[Verdict]) -> HttpResponse | None:
        rows = list(chosen[: AT_ONCE + 1])
        if len(rows) > AT_ONCE or "confirmed" not in request.POST:
            return self.ask(
                request,
                rows,
                form=forms.Form(),
                action="take_back",
                title=_("Revoke these verdicts?"),
                lead=_(
                    "What no other verdict keeps out counts in the scores again, even where its place was filled by "
                    "another rater meanwhile. The verdicts stay on record, with your name."
                ),
                button=_("Revoke"),
            )
        theirs = self._of_others(request, rows)
        own = [row for row in rows if row.pk not in theirs]
        for row in rows:
            if row.pk in theirs:
                refused = _("{verdict}: this rater took part in other people’s studies too. Ask a superuser.")
                messages.error(request, refused.format(verdict=self.name_of(row)))
        common: dict[str, Any] = {"by": request.user, "now": clock.now()}
        done = self.each(request, own, "Taken back.", lambda row: verdicts.revoke(verdict_id=row.pk, **common))
        if done:
            message = ngettext("{number} verdict was revoked.", "{number} verdicts were revoked.", done)
            messages.success(request, message.format(number=done))
        return None

    def has_take_back_permission(self, request: HttpRequest) -> bool:
        """Revoking needs the change permission, although no field is editable."""
        return request.user.has_perm("raters.change_verdict") and self.acts_somewhere(request)

    def _of_others(self, request: HttpRequest, rows: Sequence[Verdict]) -> set[int]:
        """Return the verdicts on raters who also took part in other people's studies, where they apply as well."""
        if request.user.is_superuser:
            return set()
        changeable = access.visible(request.user, Capability.CHANGE_STUDY).values("pk")
        others = Session.objects.exclude(study__in=changeable).values("rater")
        chosen = Verdict.objects.filter(pk__in=[row.pk for row in rows], rater__in=others)
        return set(chosen.values_list("pk", flat=True))

    def name_of(self, row: Verdict) -> str:
        return f"{row} · {self.about(row)}"

    @admin.display(description=_("rule"))
    def rule_in_words(self, verdict: Verdict) -> str:
        return rule_name(verdict.rule)

    @admin.display(description=_("about"))
    def about(self, verdict: Verdict) -> str:
        things = (verdict.answer, verdict.batch, verdict.session, verdict.rater, verdict.clip)
        return next(str(thing) for thing in things if thing is not None)

    @admin.display(description=_("detail"))
    def why(self, verdict: Verdict) -> SafeString:
        return readable(verdict.detail)
