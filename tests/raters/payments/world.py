"""A study whose people came from the stand-in for Prolific, and the jobs that a worker would do."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.test import Client

from accounts.models import User
from core.jobs import QUEUED
from raters.models import Payment, PaymentList, PlatformStudy, Session, Submission
from raters.payments import payment_lists, platform_studies, sending
from raters.rating import finishing
from studies.models import Study
from tests.raters.payments.fake import STUDY, Fake
from tests.world import Person, make_study


@dataclass
class World:
    """One study, one platform study, one researcher; the clock moves when told."""

    now: datetime
    study: Study
    user: User
    platform: PlatformStudy
    fake: Fake = field(default_factory=Fake)

    def clock(self) -> datetime:
        return self.now

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)

    def arrive(self, name: str, **fields: Any) -> Person:
        """Let somebody take a place at the platform and open our link."""
        person = Person(self.study, self.now, name)
        fields = {"started_at": self.now, **fields}
        self.fake.submission(person.session.ext_session, participant=name, **fields)
        return person

    def finish(
        self, name: str, outcome: Session.Outcome = Session.Outcome.COMPLETE, *, code: str | None = "its own"
    ) -> Person:
        """Let somebody come, end by this outcome, and hand in; nothing is rated."""
        person = self.arrive(name)
        ended = self.now + timedelta(minutes=10)
        finishing.leave(session_id=person.session.pk, outcome=outcome, now=ended)
        right = self.study.definition.crowd.code(outcome)
        self.there(person).hand_in(right if code == "its own" else code, minutes=10)
        return person

    def there(self, person: Person) -> Any:
        return self.fake.account.submissions[person.session.ext_session]

    def read(self) -> bool:
        """Do what the sweep and a worker do."""
        self.wait(minutes=5)
        platform_studies.request_reading(platform_id=self.platform.pk, now=self.now)
        return platform_studies.read(pk=self.platform.pk, clock=self.clock, client=self.fake.api)

    def submission(self, person: Person) -> Submission:
        return Submission.objects.get(ext_session=person.session.ext_session)

    def prepare(self, kind: str) -> PaymentList:
        self.platform.refresh_from_db()
        return payment_lists.prepare(study=self.study, platform=self.platform, kind=kind, by=self.user, now=self.now)

    def confirm(self, listed: PaymentList, message: str = "") -> PaymentList:
        told = message or listed.message
        return payment_lists.confirm(
            listed=listed, seen=payment_lists.digest(listed), message=told, by=self.user, now=self.now
        )

    def carry_out(self, listed: PaymentList) -> PaymentList:
        """Let a worker take the list once."""
        sending.carry_out(pk=listed.pk, clock=self.clock, client=self.fake.api)
        listed.refresh_from_db()
        return listed

    def do(self, kind: str, message: str = "") -> PaymentList:
        return self.carry_out(self.confirm(self.prepare(kind), message))


def make(now: datetime, **settings: Any) -> World:
    """Make a launched study that is linked with the stand-in's."""
    study = make_study(
        now=now,
        crowd__completion_code="DONE-1",
        crowd__withdrawn_code="LEFT-1",
        **{"crowd__screened_out_code": "OUT-1", "payment__currency": "GBP", **settings},
    )
    user = User.objects.create_superuser("rosa", password="pw")
    platform = platform_studies.link(study_id=study.pk, source="prolific", ext_study=STUDY, by=user, now=now)
    PlatformStudy.objects.filter(pk=platform.pk).update(state=QUEUED, queued_at=now)
    return World(now, study, user, platform)


def states(listed: PaymentList) -> list[str]:
    """Return where the payments of a list stand, in its order."""
    return list(Payment.objects.filter(list=listed).order_by("pk").values_list("state", flat=True))


def rejection_button(world: World, client: Client) -> str:
    """Return the button that prepares a rejection."""
    client.force_login(world.user)
    page = client.get(f"/studies/{world.study.slug}/paying/").text
    return next(part for part in page.split("<li>") if 'value="reject"' in part).partition("<button")[2]
