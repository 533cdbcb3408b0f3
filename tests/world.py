"""Small worlds to test in: a study with clips, a rater who rates it."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any
from uuid import uuid4

from django.http import HttpResponse
from django.test import Client

from core.files import storage
from raters.models import Session, TrialClip
from raters.people import cookies
from raters.rating import listening, sent_bytes, trials
from raters.rating.progress import CurrentTrial, NoTrial, Progress
from raters.rating.trials import SubmittedAnswer
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.models import Clip, Study, StudyVersion, System, Text
from studies.pool.layout import lay_out

NUMBERS = count(1)
REASON = "The pause before the last word is too long"


def silence(seconds: float = 0.5, rate: int = 8000) -> bytes:
    """Return a small WAV; what it sounds like doesn't matter here."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(2 * round(seconds * rate)))
    return buffer.getvalue()


def make_study(
    *,
    now: datetime,
    systems: tuple[str, ...] = ("human", "alpha", "beta"),
    texts: int = 12,
    dimensions: tuple[str, ...] = ("",),
    flawed: int = 4,
    humans: int = 8,
    seconds: float = 0.5,
    launch: bool = True,
    task_type: str = "ternary",
    **settings: Any,
) -> Study:
    """Make a study of test clips (each system says each text) and traps; `settings` are dotted with two underscores."""
    number = next(NUMBERS)
    changes = {key.replace("__", "."): value for key, value in settings.items()}
    raw = change(presets.get("att").definition.model_dump(mode="json"), changes)
    if task_type != raw["task_type"]:
        raw |= {"preset": "custom", "task_type": task_type, "task": {}}
    draft = parse(raw).model_dump(mode="json")
    study = Study.objects.create(slug=f"study-{number}", title=f"Study {number}", draft=draft)
    wav = silence(seconds)
    name = storage.put("renditions", wav)
    known = {system: System.objects.create(study=study, name=system) for system in {*systems, "human", "broken"}}

    def clip(file: str, system: str, role: str, text: Text | None, dimension: str = "") -> Clip:
        return Clip(
            study=study,
            file=file,
            system=known[system],
            role=role,
            text=text,
            voice=f"{system}-voice",
            dimension=dimension,
            sha256=f"{number:08x}{file:>56.56}".replace(" ", "0"),
            original=name,
            rendition=name,
            rendition_bytes=len(wav),
            duration=seconds,
            sample_rate=8000,
            channels=1,
            true_peak=-1.0,
            added_at=now,
        )

    clips = []
    for index in range(texts):
        text = Text.objects.create(study=study, name=f"text-{index}", body=f"Sentence number {index}.")
        dimension = dimensions[index % len(dimensions)]
        clips += [clip(f"{system}/{index}.wav", system, "test", text, dimension) for system in systems]
    clips += [clip(f"flawed/{index}.wav", "broken", "trap_flawed", None) for index in range(flawed)]
    clips += [clip(f"trap-human/{index}.wav", "human", "trap_human", None) for index in range(humans)]
    Clip.objects.bulk_create(clips)
    if launch:
        StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
        lay_out(study=study, now=now, rng=Random(number))
        Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
        study.refresh_from_db()
    return study


def carry(person: Person) -> Client:
    """Return a browser that carries the person's cookie."""
    response = HttpResponse()
    cookies.put_session(response, slug=person.study.slug, session_id=person.session.pk)
    client = Client()
    client.cookies = response.cookies
    return client


def audio_url(person: Person) -> str:
    """Return the address of the clip that the person is to hear now."""
    return f"/rate/{person.study.slug}/audio/{person.current.trial.clips[0].key}"


@dataclass
class Person:
    """A rater at the services' door, with a clock that only moves when told."""

    study: Study
    now: datetime
    name: str = field(default_factory=lambda: f"person-{next(NUMBERS)}")
    rng: Random = field(default_factory=lambda: Random(1))
    filled: list[int] = field(default_factory=list)
    page: Progress | None = None
    session: Session = field(init=False)

    def __post_init__(self) -> None:
        arrival = RaterArrival(source="prolific", person=self.name, study="ext", session=f"s-{self.name}")
        self.session = lifecycle.arrive(study_id=self.study.pk, arrival=arrival, now=self.now)

    def wait(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def start(self) -> Person:
        """Consent, read the instructions, and open the trial page."""
        lifecycle.consent(session_id=self.session.pk, agreed=True, now=self.now)
        lifecycle.begin(session_id=self.session.pk, now=self.now)
        return self.load()

    def load(self) -> Person:
        """Load the trial page."""
        self.page = trials.enter(session_id=self.session.pk, now=self.now, rng=self.rng)
        return self

    @property
    def current(self) -> CurrentTrial:
        assert isinstance(self.page, CurrentTrial)
        return self.page

    @property
    def is_done(self) -> bool:
        return isinstance(self.page, NoTrial)

    @property
    def role(self) -> str:
        """Return what the current trial really is."""
        return TrialClip.objects.filter(trial__token=self.current.trial.token).values_list("clip__role", flat=True)[0]

    def fetch(self) -> None:
        """Take in the current clips' bytes."""
        for clip in self.current.trial.clips:
            row = TrialClip.objects.select_related("clip").get(key=clip.key)
            size = row.clip.rendition_bytes
            sent_bytes.note_sent_bytes(trial_clip=row.pk, start=0, stop=size, size=size, now=self.now)

    def play(self) -> None:
        """Press Play on the current clips."""
        for clip in self.current.trial.clips:
            listening.start_play(session_id=self.session.pk, key=clip.key, tab=self.current.tab, now=self.now)

    def submission(self, label: str = "human", **parts: Any) -> SubmittedAnswer:
        """Return an answer to the current trial, not sent yet."""
        given: dict[str, Any] = {
            "token": self.current.trial.token,
            "tab": self.current.tab,
            "key": uuid4(),
            "answer": {"label": label, "reason": REASON},
            "evidence": {},
            **parts,
        }
        return SubmittedAnswer(**given)

    def send(self, submission: SubmittedAnswer) -> None:
        """Submit, and look at what comes next."""
        self.page, filled = trials.submit(session_id=self.session.pk, sent=submission, now=self.now, rng=self.rng)
        if filled is not None:
            self.filled.append(filled)

    def rate(self, label: str = "human") -> None:
        """Listen to the current clip and answer."""
        self.fetch()
        self.play()
        self.wait(sum(clip.seconds for clip in self.current.trial.clips) + 1)
        self.send(self.submission(label))

    def rate_batch(self, *, attentive: bool = True, test_label: str = "human") -> None:
        """Rate to the end of the batch; attentive people get the traps right."""
        batch = self.current.batch
        while isinstance(self.page, CurrentTrial) and self.page.batch == batch:
            right = {"trap_flawed": "machine", "trap_human": "human"}.get(self.role, test_label)
            wrong = {"trap_flawed": "human", "trap_human": "machine"}.get(self.role, test_label)
            self.rate(right if attentive else wrong)
