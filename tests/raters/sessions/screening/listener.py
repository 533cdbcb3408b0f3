"""Listeners at the first checks, who know what only the server knows, or don't."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from core.files import storage
from raters.models import CheckResult, Session
from raters.sessions import checks, lifecycle
from studies.models import Clip, Study, System
from tests import world
from tests.world import Person

QUESTIONS = (
    "How often may you play a clip? | *As often as I like | Once",
    "What decides about your pay? | My answers | *That I take part",
)
ATTENTION = ("To show that you read this, choose “Often” | *Often | Never | Sometimes", "I have visited every planet.")
# The place of an answer that passes each of them, and of one that doesn't.
PASSES, FAILS = (0, 3), (2, 1)
ALL: dict[str, Any] = {
    "screening__device": "screen_out",
    "screening__language": "screen_out",
    "screening__languages": ("en",),
    "screening__certificates": ("IELTS listening | 7.5",),
    "screening__volume": True,
    "screening__headphones": "both",
    "screening__headphones_failed": "screen_out",
    "screening__comprehension": "screen_out",
    "screening__questions": QUESTIONS,
    "screening__training": "flag",
    "screening__training_clips": 2,
}


def make_study(now: datetime, *, training: int = 4, **settings: Any) -> Study:
    """Make a study with clips to practise on, people and machines in turn."""
    study = world.make_study(now=now, **settings)
    systems = {name: System.objects.get(study=study, name=name) for name in ("human", "alpha")}
    wav = world.silence(0.5)
    name = storage.put("renditions", wav)
    for number in range(training):
        Clip.objects.create(
            study=study,
            file=f"training/{number}.wav",
            system=systems["alpha" if number % 2 else "human"],
            role="training",
            sha256=f"{number:064}",
            original=name,
            rendition=name,
            rendition_bytes=len(wav),
            duration=0.5,
            sample_rate=8000,
            channels=1,
            true_peak=-1.0,
            added_at=now,
        )
    return study


def right(result: CheckResult) -> dict[str, str]:
    """Return what a good listener would send for the open step."""
    if result.telling:
        return {}
    step = result.drawn[len(result.answers[-1])]
    if result.name == "device":
        return {"digits": "".join(map(str, step["counts"])), "audio": "yes", "width": "390"}
    if result.name == "language":
        return {"first": "en"}
    if result.name in ("antiphase", "huggins"):
        return {"interval": str(step["target"])}
    if result.name == "comprehension":
        # In both questions, the star's place: 0 and 1.
        return {f"question{number}": str(order.index(number)) for number, order in enumerate(step["orders"])}
    if result.name == "attention":
        return {"question": str(step["order"].index(PASSES[step["number"]]))}
    if result.name == "training":
        label = "human" if step["human"] else "machine"
        return {"answer": json.dumps({"label": label, "reason": world.REASON})}
    return {}


def wrong(result: CheckResult) -> dict[str, str]:
    """Return what somebody sends who hears or understands nothing."""
    form = right(result)
    if result.name == "device":
        return {**form, "digits": "111"}
    if result.name == "language":
        return {"first": "de"}
    if result.name == "attention":
        step = result.drawn[0]
        return {"question": str(step["order"].index(FAILS[step["number"]]))}
    if "interval" in form:
        return {"interval": str((int(form["interval"]) + 1) % 3)}
    if result.name == "comprehension":
        return {name: str(1 - int(value)) for name, value in form.items()}
    if "answer" in form:
        return {"answer": json.dumps({"label": "unclear", "reason": world.REASON})}
    return form


class Listener(Person):
    """A person at the services' door who goes through the checks."""

    def agree(self) -> Listener:
        lifecycle.consent(session_id=self.session.pk, agreed=True, now=self.now)
        return self

    def read(self) -> Listener:
        lifecycle.begin(session_id=self.session.pk, now=self.now)
        return self

    @property
    def step(self) -> str:
        return Session.objects.get(pk=self.session.pk).step

    @property
    def outcome(self) -> str:
        return Session.objects.get(pk=self.session.pk).outcome

    @property
    def at(self) -> checks.CheckPage:
        """Return the page that is shown now."""
        shown = checks.show(session_id=self.session.pk, now=self.now, rng=self.rng)
        assert shown is not None
        return shown

    def send(self, form: dict[str, str], at: str = "") -> dict[str, str]:  # type: ignore[override]
        """Send a form from the page that is shown, or from another one."""
        return checks.answer(session_id=self.session.pk, at=at or self.at.at, form=form, now=self.now, rng=self.rng)

    def go(self, *, failing: tuple[str, ...] = (), until: str = "") -> Listener:
        """Answer rightly, but in the checks that are named, until one is reached or none is left."""
        while self.step in checks.Steps:
            shown = self.at
            if shown.check.name == until:
                break
            form = wrong(shown.result) if shown.check.name in failing else right(shown.result)
            assert self.send(form) == {}
        return self

    def result(self, name: str, number: int = 0) -> CheckResult:
        return CheckResult.objects.get(session=self.session.pk, name=name, round=number)


def rate_batch(person: Listener, minutes: float) -> None:
    """Rate a batch that takes so long, its traps rightly."""
    person.load()
    person.wait(60 * minutes)
    submit = super(Listener, person).send
    batch = person.current.batch
    while not person.is_done and person.current.batch == batch:
        person.fetch()
        person.play()
        person.wait(1)
        submit(person.submission("machine" if person.role == "trap_flawed" else "human"))
