"""One study with a row of everything, and a browser for everybody who may or may not open it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import User
from analysis.exports import building
from analysis.exports.models import Export, Profile
from analysis.metrics.models import MetricSet
from analysis.models import Analysis, PowerPlan, Simulated
from analysis.planning import plans
from analysis.runs import analyses
from core import jobs
from core.files import storage
from judge.models import Hold, JudgeRun
from raters.models import Answer, Batch, Erasure, Invite, PaymentList, PlatformStudy, Session, Verdict
from studies.audit import previewing
from studies.drafting.models import DraftRun
from studies.members.models import Member
from studies.models import Clip, ClipImport, Question, RepairPreview, Study, StudyExpert, StudyVersion
from tests import figures
from tests.analysis.world import World
from tests.researchers import logged_in, researcher
from tests.roles.table import ROLES

EXT_STUDY, EXT_SESSION = "5eedstudyid", "5eedsessionid"
GIVEN = ("editor", "viewer", "blinded", "payer")
SILENT: dict[str, float | None] = {"silence_before": 0.1, "silence_after": 0.1}
RIGHTS = ("pay_raters", "view_identity")


@dataclass
class Shared:
    """A study, who shares it, and {a part of an address: what stands for it}."""

    study: Study
    clients: dict[str, Client]
    now: datetime

    def address(self, name: str, route: str, row: Any = None) -> str:
        """Return an address of this name with rows that exist: about `row`, or about the newest."""
        values: dict[str, Any] = {
            **{"slug": self.study.slug, "key": "none", "number": 1, "move": "pause", "name": "scores", "kind": "svg"},
            "file": "report.html",
            "job": ClipImport.objects.get().pk,
            **{"repair": "edges", "clip": RepairPreview.objects.get().clips[0]["clip"]},
        }
        row = row or rows_of(name).first()
        values |= {"app_label": "studies", "token": "t" * 22, "source": "prolific"}
        values["content_type_id"] = ContentType.objects.get_for_model(Clip).pk
        values["id"] = self.study.owner_id
        values["pk"] = values["object_id"] = row.pk if row is not None else self.study.pk
        return reverse(name, kwargs={part: values[part] for part in parts_of(route)})

    def refresh(self) -> None:
        """Have the page's figures computed anew."""
        figures.compute(self.study, self.now)

    def export(self, who: str, profile: Profile = Profile.ANALYSIS) -> Export:
        """Have an export written for somebody."""
        row = building.request_export(
            study_id=self.study.pk,
            simulated=Simulated.WITHOUT,
            profile=profile,
            user=User.objects.get(username=who),
            now=self.now,
        )
        building.build_export(pk=row.pk, clock=lambda: self.now)
        return building.export(self.study.pk, row.pk)


ROWS: dict[str, Any] = {
    **{f"admin:studies_{name}": model for name, model in (("clip", Clip), ("question", Question))},
    "admin:studies_studyversion": StudyVersion,
    "admin:studies_study": Study,
    "admin:raters_session": Session,
    "admin:raters_batch": Batch,
    "admin:raters_answer": Answer,
    "admin:raters_verdict": Verdict,
    "admin:raters_invite": Invite,
    "admin:raters_erasure": Erasure,
    "api:clip": Clip,
    **{f"api:{name}": Clip for name in ("withdraw", "restore")},
    "api:import": ClipImport,
    **{f"{app}:{name}": Export for app in ("api", "analysis") for name in ("export", "download")},
    **{f"{app}:analys": Analysis for app in ("api", "analysis")},
    "analysis:report": Analysis,
    "analysis:plan": PowerPlan,
    "api:metric": MetricSet,
    "analysis:metric": MetricSet,
    **{f"api:{name}": JudgeRun for name in ("judge", "cancel_judge")},
    **{f"judge:{name}": JudgeRun for name in ("run", "cancel")},
    "judge:undo": Hold,
    **{f"drafting:{name}": DraftRun for name in ("run", "progress", "download")},
    "paying:": PaymentList,
}


def rows_of(name: str) -> Any:
    """Return the rows that addresses of this name are about, the newest first.

    They are of the longest beginning of the name that is known; none for other names.
    """
    known = max((each for each in ROWS if name.startswith(each)), key=len, default=None)
    return ROWS[known].objects.order_by("-pk") if known else Study.objects.none()


def routes(patterns: Any = None, namespace: str = "", before: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, route) of every named address of the URL configuration."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from routes(pattern.url_patterns, inner, route)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{namespace}{pattern.name}", route


def parts_of(route: str) -> list[str]:
    """Return the names of a route's parts."""
    return [part.partition(">")[0].rpartition(":")[2] for part in route.split("<")[1:]]


def make(now: datetime, **settings: Any) -> Shared:
    """Return a live study with answers, one row of everything, and its people at their browsers."""
    world = World(now, {"review__mode": "all", "coding__mode": "all", **settings})
    world.crowd(12)
    return share(world.study, now)


def share(study: Study, now: datetime) -> Shared:
    """Add one row of everything to a live study with answers, and let its people come to their browsers."""
    people = {name: researcher(name) for name in ROLES if name not in {"root", "expert", "anonymous"}}
    people |= {"root": User.objects.create_superuser("root"), "expert": User.objects.create_user("expert")}
    study.owner = people["owner"]
    study.save()
    for name in GIVEN:
        Member.objects.create(study=study, user=people[name], role=name, added_at=now)
    # The payer's role is enough.
    for name in ("owner", "editor", "viewer", "blinded", "stranger"):
        people[name].user_permissions.add(*Permission.objects.filter(codename__in=RIGHTS))
    StudyExpert.objects.create(study=study, user=people["expert"], at=now)
    for session in Session.objects.all():
        session.ext_study, session.ext_session = EXT_STUDY, f"{EXT_SESSION}{session.pk}"
        session.save()
    add_rows(study, now)
    shared = Shared(study, {name: logged_in(user) for name, user in people.items()} | {"anonymous": Client()}, now)
    shared.refresh()
    shared.export("owner")
    return shared


def add_rows(study: Study, now: datetime) -> None:
    """Add a row of each kind that addresses name."""
    metric = MetricSet.objects.create(study=study, name="DNSMOS", created_at=now)
    session = Session.objects.order_by("pk").first()
    assert session is not None
    ClipImport.objects.create(study=study, state=jobs.DONE, created_at=now, queued_at=now)
    clip = Clip.objects.filter(study=study).order_by("pk").first()
    assert clip is not None
    tried = previewing.PreviewedClip(
        clip.pk, clip.file, "alpha", "test", SILENT, SILENT, storage.put("repairs", b"RIFF")
    )
    RepairPreview.objects.create(study=study, kind="edges", value=0.2, state=jobs.DONE, clips=[asdict(tried)])
    if not study.questions.exists():
        options = [{"text": "a", "error": ""}]
        Question.objects.create(study=study, name="golden/1", golden=True, prompt="?", options=options)
    Invite.objects.create(study=study, token_sha256="x", made_at=now)
    Erasure.objects.create(kind="answers", rater=session.rater, session=session, asked_at=now, state=jobs.DONE)
    analyses.request_analysis(study_id=study.pk, user=study.owner, now=now, simulated="without")
    plans.request_plan(study_id=study.pk, kind="power", raw={"spread": "scores"}, user=study.owner, now=now)
    JudgeRun.objects.create(study=study, created_at=now, queued_at=now, metric_set=metric, state=jobs.DONE)
    Hold.objects.create(study=study, rule={}, made_at=now)
    DraftRun.objects.create(
        study=study, kind="texts", plan={}, created_at=now, budget_tokens=1, budget_calls=1, state=jobs.DONE
    )
    platform = PlatformStudy.objects.create(study=study, ext_study=EXT_STUDY, added_at=now)
    PaymentList.objects.create(platform=platform, kind="approve", made_at=now, made_by=study.owner)
