"""A study's page of the stimulus audit: findings in words, then plots by system, then all measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.users.models import User
from core import clock
from core.errors import DomainError
from studies.audit import accepting, measuring, plots, queries, repair_words, repairing, words
from studies.audit.findings import comparable, findings, thresholds
from studies.audit.outliers import Outlier, outliers
from studies.audit.queries import AuditedClip
from studies.definition.models import Study
from studies.imports import renditions
from studies.pages.frame import page
from studies.pages.repair_pages import RepairPages

# So many clips are listed on the page; the command's JSON has all.
CLIP_ROWS = 200


def _accept(study: Study, user: User, key: str) -> str:
    row = accepting.accept(study=study, key=key, user=user, now=clock.now())
    return _("Part of what you compare: {finding}").format(finding=row.text)


def _revoke(study: Study, user: User, key: str) -> str:
    accepting.revoke(study=study, key=key, user=user, now=clock.now())
    return _("The finding is a warning again.")


def _measure(study: Study, _user: User, _key: str) -> str:
    measuring.measure_again(study, clock.now())
    return _("The clips are being measured.")


ACTIONS: Mapping[str, Callable[[Study, User, str], str]] = {"accept": _accept, "revoke": _revoke, "measure": _measure}


class AuditPages(RepairPages):
    """The page of the audit, and the progress of its job."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/audit/", wrap(self.audit_page), name="studies_study_audit"),
            path("<int:pk>/audit/status/", wrap(self.audit_status), name="studies_study_audit_status"),
            *super().get_urls(),
        ]

    def audit_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the audit; POST accepts a finding, takes this back, or has clips measured."""
        study = self._own(request, pk, write=request.method == "POST")
        if request.method == "POST":
            return self._accept(request, study)
        # Before the clips are read: a conversion that ends meanwhile must not show findings on the clips before.
        conversion = renditions.unfinished(study)
        clips = queries.clips(study)
        found = findings(study, clips)
        job, missing = measuring.newest(study), sum(not clip.is_measured for clip in clips)
        values = plots.values_by_system(clips)
        compared = {clip.clip: comparable(clip) for clip in clips if clip.is_compared and clip.is_measured}
        away = outliers(compared, thresholds(study.definition.audit))
        listed = sorted(clips, key=lambda clip: -away[clip.clip].distance if clip.clip in away else 0.0)
        context = {
            "clips": clips,
            "repairs": [(row, repair_words.summary(row.kind, row.value)) for row in repairing.applied(study)],
            "conversion": conversion,
            "missing": missing,
            "progress": words.of_progress(len(clips) - missing, len(clips)) if missing else "",
            "job": job if job is not None and not job.is_over else None,
            "failure": job.error if job is not None and job.error else "",
            "blocking": [each for each in found if each.is_blocking],
            "open": [each for each in found if each.is_open],
            "accepted": [each for each in found if each.accepted],
            "plots": list(plots.plots(values)),
            "most_dots": plots.MOST_DOTS if len(clips) > plots.MOST_DOTS else 0,
            "measures": list(words.MEASURES.values()),
            "medians": _medians(values),
            "rows": [_row(clip, away.get(clip.clip)) for clip in listed[:CLIP_ROWS]],
            "far": sum(each.is_far for each in away.values()),
            "more": max(0, len(clips) - CLIP_ROWS),
        }
        return self._show(request, study, "audit", context)

    @method_decorator(require_GET)
    def audit_status(self, request: HttpRequest, pk: int) -> JsonResponse:
        """Return the progress of the newest job for the page's script."""
        study = self._own(request, pk)
        job, message = measuring.newest(study), words.of_progress(*measuring.progress(study))
        if job is None:
            return JsonResponse({"percent": 0, "done": 0, "total": 0, "over": True, "message": message})
        counts = {"percent": job.percent, "done": job.done, "total": job.total}
        return JsonResponse({**counts, "over": job.is_over, "message": message})

    def _accept(self, request: HttpRequest, study: Study) -> HttpResponse:
        assert isinstance(request.user, User)
        name = next((name for name in ACTIONS if name in request.POST), "")
        try:
            message = ACTIONS[name](study, request.user, request.POST[name]) if name else ""
        except DomainError as error:
            messages.error(request, error.message)
        else:
            if message:
                messages.success(request, message)
                self.log_change(request, study, message)
        return HttpResponseRedirect(page("audit", study.pk))


def _medians(values: Mapping[str, Mapping[str, Sequence[float]]]) -> list[tuple[str, list[str]]]:
    """Return (system, the median of each measure as text); a dash where no clip has it."""
    systems = dict.fromkeys(system for by_system in values.values() for system in by_system)
    return [
        (
            system,
            [
                words.MEASURES[name].value(median(by_system[system])) if by_system.get(system) else "–"
                for name, by_system in values.items()
            ],
        )
        for system in systems
    ]


def _row(clip: AuditedClip, away: Outlier | None) -> dict[str, Any]:
    """Return one line of the clips' table."""
    values = clip.values
    shown = [words.of_value(name, values) for name in words.MEASURES]
    coding = words.fact_of(clip, "coding")
    source = [words.value_of("sample_rate", str(clip.sample_rate)), words.value_of("coding", coding) if coding else ""]
    source += [clip.codec if clip.bit_depth else "", words.value_of("channels", str(clip.channels))]
    return {
        "clip": clip,
        "away": words.of_outlier(away) if away is not None and away.is_far else "",
        "problem": queries.problem_of(clip),
        "source": ", ".join(filter(None, source)),
        "duration": f"{values['duration']:.2f}" if values else "–",
        "true_peak": f"{values['true_peak']:.1f}".replace("-", "−") if values else "–",
        "rolloff": f"{values['rolloff'] / 1000:.1f}" if "rolloff" in values else "–",
        "dc_offset": f"{100 * values['dc_offset']:.2f}".replace("-", "−") if values else "–",
        "clipped": "–" if clip.clipped is None else f"{100 * clip.clipped:.2f}",
        "measures": shown,
    }
