"""Read-only admin pages for raters' data. Corrections are verdicts, which can be revoked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.users.own_rows import IndexedValues, OwnFilter, ReadOnly
from core import clock
from core.errors import DomainError
from raters.people.models import Session, plain_study
from raters.rating import rights, verdicts
from raters.rating.models import Answer, Batch, Trial
from raters.sessions.models import CheckResult, FairCheck
from raters.sessions.readable import in_a_line, readable
from studies.members import access
from studies.members.rows import StudyRows
from studies.rules.roles import Capability

if TYPE_CHECKING:
    Inline = admin.TabularInline[CheckResult | FairCheck, Session]
else:
    Inline = admin.TabularInline


class _CheckInline(Inline):
    """Read-only inline for users who may see the session."""

    ordering = ("pk",)
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("raters.view_session")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ChecksInline(_CheckInline):
    """All check results, before the first clip and between batches."""

    model = CheckResult
    verbose_name_plural = _("checks before and between batches")
    fields = ("name", "round", "tries", "right", "of", "passed", "at")
    readonly_fields = fields


class FairChecksInline(_CheckInline):
    """Attention checks with questions and answers."""

    model = FairCheck
    verbose_name_plural = _("attention checks")
    fields = ("kind", "asked", "answered", "passed", "at")
    readonly_fields = fields


M = TypeVar("M", bound=Model)
BY_HAND = "by_hand"
# Each row has its own transaction, and all must fit into one request.
AT_ONCE = 200
SHOWN = 20


class ReasonForm(forms.Form):
    """Form asking why something is excluded."""

    reason = forms.CharField(
        label=_("Why?"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Saved with the verdict, for people who read the data later. Raters never see it."),
    )


def rows_of(ext_session: str) -> tuple[list[int], list[int], list[int]]:
    """Return the keys of a platform id's sessions, their batches and their answers.

    Each is read by an index. As one condition over joined tables, all answers would be read.
    """
    sessions = list(Session.objects.filter(ext_session__iexact=ext_session.strip()).values_list("pk", flat=True))
    batches = list(Batch.objects.filter(session__in=sessions).values_list("pk", flat=True))
    answers = Answer.objects.filter(trial__in=Trial.objects.filter(batch__in=batches).values("pk"))
    return sessions, batches, list(answers.values_list("pk", flat=True))


class ConfirmedAdmin(StudyRows[M], ReadOnly[M]):
    """Read-only rows with a confirmation page for verdicts."""

    def ask(self, request: HttpRequest, chosen: Sequence[M], **words: Any) -> HttpResponse | None:
        """Show the confirmation page for the chosen rows."""
        if len(chosen) > AT_ONCE:
            message = _("Choose at most {number} at a time. Nothing was changed.")
            messages.error(request, message.format(number=AT_ONCE))
            return None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "rows": chosen,
            "shown": [self.name_of(row) for row in chosen[:SHOWN]],
            "more": max(0, len(chosen) - SHOWN),
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/raters/confirm.html", {**context, **words})

    def name_of(self, row: M) -> str:
        return str(row)

    def each(self, request: HttpRequest, chosen: Sequence[M], note: str, decide: Callable[[M], Any]) -> int:
        """Call `decide` for each row and return the number of successes; refusals are shown and stop nothing."""
        decided = 0
        for row in chosen:
            try:
                decide(row)
            except DomainError as error:
                messages.error(request, f"{self.name_of(row)}: {error.message}")
            else:
                self.log_change(request, row, note)
                decided += 1
        return decided


class ExcludableAdmin(ConfirmedAdmin[M]):
    """Rows that can be excluded from the scores with a reason."""

    subject = ""
    actions = ("keep_out",)

    @admin.action(description=_("Exclude from the scores…"), permissions=["keep_out"])
    def keep_out(self, request: HttpRequest, chosen: QuerySet[M]) -> HttpResponse | None:
        rows = list(chosen[: AT_ONCE + 1])
        form = ReasonForm(request.POST if "confirmed" in request.POST else None)
        if len(rows) > AT_ONCE or not form.is_valid():
            return self.ask(
                request,
                rows,
                form=form,
                action="keep_out",
                title=_("Exclude from the scores?"),
                lead=_(
                    "What is listed here stays in the data, marked “taken out by hand”, and counts in no score. Places "
                    "that it took go back to the pool. Raters are not informed and their payment does not change. The "
                    "verdict can be revoked."
                ),
                button=_("Exclude"),
            )
        detail = {"reason": form.cleaned_data["reason"]}
        common: dict[str, Any] = {"rule": BY_HAND, "by": request.user, "now": clock.now(), "detail": detail}
        done = self.each(
            request, rows, "Excluded from the scores.", lambda row: verdicts.exclude(**{self.subject: row.pk}, **common)
        )
        if done:
            message = ngettext("{number} is excluded from the scores.", "{number} are excluded from the scores.", done)
            messages.success(request, message.format(number=done))
        return None

    def has_keep_out_permission(self, request: HttpRequest) -> bool:
        """Users may exclude if they may add verdicts, although no form adds a verdict."""
        return request.user.has_perm("raters.add_verdict") and self.acts_somewhere(request)


@admin.register(Session)
class SessionAdmin(ExcludableAdmin[Session]):
    """Sessions, searchable by the platform's ids."""

    subject = "session"
    sees = Capability.SEE_SESSIONS
    is_searched_by_ids = True
    list_display = (
        "id",
        "study",
        "rater",
        "source",
        "platform_session",
        "proof",
        "step",
        "outcome",
        "payable",
        "simulated",
        "preview",
        "arrived_at",
        "agreed_to",
    )
    list_filter = (("study", OwnFilter), "arrived_at", "simulated", "preview", "step", "outcome", "payable", "proof")
    list_select_related = ("study", "rater", "version")
    readonly_fields = ("platform_study", "platform_session", "agreed_to", "consent_fingerprint", "information")
    inlines = (ChecksInline, FairChecksInline)
    search_fields = ("=ext_session", "=ext_study")
    search_help_text = _("Session or study id of the crowd platform, whole")
    show_full_result_count = False
    # The platform's ids and the fingerprint have fields with names of their own.
    exclude = ("tab", "ext_study", "ext_session", "consent_sha256", "browser_before")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        shows = access.visible(request.user, Capability.SEE_PLATFORM_IDS).filter(pk=OuterRef("study"))
        return super().get_queryset(request).annotate(shows_ids=Exists(shows))

    def get_fields(self, request: HttpRequest, obj: Session | None = None) -> list[Any]:
        """Hide the platform's ids from users without the permission to see them."""
        is_shown = obj is None or access.may(obj.study, request.user, Capability.SEE_PLATFORM_IDS)
        hidden = () if is_shown else ("platform_study", "platform_session")
        return [name for name in super().get_fields(request, obj) if name not in hidden]

    @admin.display(description=_("study id at the platform"))
    def platform_study(self, session: Session) -> str:
        return plain_study(session.ext_study)

    @admin.display(description=_("session id at the platform"), ordering="ext_session")
    def platform_session(self, session: Session) -> str:
        return session.ext_session if getattr(session, "shows_ids", False) else "–"

    @admin.display(description=_("agreed to"), ordering="version")
    def agreed_to(self, session: Session) -> str:
        """Return the version and language of the consent text."""
        if session.consented_at is None:
            return ""
        text = _("version {number}, {language}").format(number=session.version.number, language=session.language)
        return text.removesuffix(", ")

    @admin.display(description=_("fingerprint of the consent text"))
    def consent_fingerprint(self, session: Session) -> str:
        return session.consent_sha256

    @admin.display(description=_("information sheet"))
    def information(self, session: Session) -> SafeString:
        sheet = rights.sheet(session)
        text = format_html('<pre class="frozen">{}\n\n{}</pre>', sheet.information, sheet.consent)
        if not sheet.matches:
            return format_html("<p>{}</p>{}", _("The hash stored with the consent is that of another text."), text)
        return text


@admin.register(Batch)
class BatchAdmin(ExcludableAdmin[Batch]):
    """Batches with their validity and trap results."""

    subject = "batch"
    study = "session__study"
    sees = Capability.SEE_SCORES
    is_searched_by_ids = True
    list_display = ("id", "session", "number", "state", "valid", "opened_at", "ended_at")
    list_filter = (("session__study", OwnFilter), ("state", IndexedValues), "valid")
    list_select_related = ("session",)
    search_fields = ("=session__ext_session",)
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("session", "number", "size", "state", "valid", "traps", "opened_at", "expired_at", "ended_at", "error")

    @admin.display(description=_("traps"))
    def traps(self, batch: Batch) -> SafeString:
        return readable(batch.trap_counts)


@admin.register(Answer)
class AnswerAdmin(ExcludableAdmin[Answer]):
    """Answers as sent, with the browser's report."""

    subject = "answer"
    study = "trial__session__study"
    sees = Capability.SEE_SCORES
    is_searched_by_ids = True
    # Superusers see answers of previews here for a day: excluding them would need a join over all answers.
    hides_previews = False
    list_display = ("trial", "said", "reason", "usable", "flags", "at")
    # By the primary key, in the order of serving; no other column has an index.
    sortable_by = ("trial",)
    list_filter = (("trial__session__study", OwnFilter), "trial__usable", "trial__late")
    list_select_related = ("trial__session", "trial__batch__session")
    # `get_search_results` searches; the field only makes the admin offer it.
    search_fields = ("=trial__session__ext_session",)
    search_help_text = _("Session id of the crowd platform, whole")
    show_full_result_count = False
    fields = ("trial", "session", "usable", "flags", "said", "reason", "at", "kept")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Answer], search_term: str
    ) -> tuple[QuerySet[Answer], bool]:
        return (queryset.filter(pk__in=rows_of(search_term)[2]) if search_term else queryset), False

    @admin.display(description=_("session"))
    def session(self, answer: Answer) -> str:
        return str(answer.trial.session)

    @admin.display(description=_("answer"))
    def said(self, answer: Answer) -> str:
        return in_a_line({key: value for key, value in answer.body.items() if key != "reason"})

    @admin.display(description=_("usable"), boolean=True, ordering="trial__usable")
    def usable(self, answer: Answer) -> bool | None:
        return answer.trial.usable

    @admin.display(description=_("flags"))
    def flags(self, answer: Answer) -> str:
        trial = answer.trial
        return ", ".join(str(word) for flag, word in ((trial.late, _("late")), (trial.surplus, _("surplus"))) if flag)

    @admin.display(description=_("evidence"))
    def kept(self, answer: Answer) -> SafeString:
        return readable(answer.evidence)
