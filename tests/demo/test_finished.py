"""The finished studies of the demo are made one after another by a worker, survive a kill, and are made once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from accounts.users.models import User
from analysis.live import stored
from analysis.runs.models import Analysis
from core import clock, jobs
from demo import designs, finished, reviewing, seeding
from demo.models import FinishedStudy
from raters.experts.models import Review, ReviewItem
from raters.models import Answer, Session
from studies.models import Clip, Question, Study, StudyExpert
from studies.summaries.models import Summary
from tests.demo import needs_espeak
from workspace.frame import next_step

pytestmark = [pytest.mark.django_db, needs_espeak]
SLUGS = [design.slug for design in designs.FINISHED]


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """Three raters a study are enough here."""
    short = {slug: replace(design, raters=3) for slug, design in finished.DESIGNS.items()}
    monkeypatch.setattr(finished, "DESIGNS", short)


@pytest.fixture
def owner() -> User:
    return get_user_model().objects.create_superuser("first", password="a long enough password")


def numbers() -> list[int]:
    return [model.objects.count() for model in (Study, Clip, Session, Answer, Review, Analysis, FinishedStudy)]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Messages that no worker has received yet."""
    messages: list[tuple[str, int]] = []
    monkeypatch.setattr(finished, "nudge", lambda name, pk: messages.append((name, pk)))
    return messages


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses are tested elsewhere."""
    monkeypatch.setattr(finished.analyses, "run", lambda *, pk, clock: end(pk))


def end(pk: int) -> None:
    Analysis.objects.filter(pk=pk).update(state=jobs.DONE)


def work(sent: list[tuple[str, int]]) -> list[str]:
    """Do what a worker does until no message is left; return the names of the jobs."""
    done = []
    while sent:
        name, pk = sent.pop(0)
        {"demo.make_finished": finished.run, finished.ANALYSE: finished.analyse}[name](pk=pk, clock=clock.now)
        assert len(sent) <= 1, "the other worker processes stay free"
        done.append(name)
    return done


def test_a_worker_makes_one_finished_study_of_each_kind_of_paper(owner: User, sent: list[tuple[str, int]]) -> None:
    finished.request(owner=owner, now=clock.now())
    assert list(FinishedStudy.objects.values_list("slug", flat=True)) == SLUGS[:1]
    assert work(sent) == ["demo.make_finished"] * 3 + ["demo.analyse_finished"] * 3
    assert list(FinishedStudy.objects.values_list("slug", "state", "error")) == [(slug, "done", "") for slug in SLUGS]
    studies = Study.objects.order_by("pk")
    assert [study.definition.kind.paper for study in studies] == ["att", "hfr", "sp-mcqa"]
    assert {(study.state, study.owner, study.remark) for study in studies} == {
        ("closed", owner, designs.FINISHED_REMARK)
    }
    assert set(Session.objects.values_list("simulated", "outcome")) == {(True, "complete")}
    assert Question.objects.filter(study__slug="demo-sp-mcqa", golden=True).count() == 3
    asked = Analysis.objects.order_by("pk").values_list("study__slug", "settings__simulated", "state")
    assert list(asked) == [(slug, "only", "done") for slug in SLUGS]
    scores = Summary.objects.filter(name=stored.FIGURES.name, choice="only")
    assert sorted(scores.values_list("study__slug", flat=True)) == sorted(SLUGS)
    before = numbers()
    finished.request(owner=owner, now=clock.now())
    work(sent)
    assert numbers() == before


def test_a_finished_study_never_asks_for_raters_while_it_is_made(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    simulate = seeding.simulate

    def watched(*, study_id: int, **named: Any) -> Any:
        seen.append(next_step(Study.objects.get(pk=study_id), owner).label)
        return simulate(study_id=study_id, **named)

    monkeypatch.setattr(seeding, "simulate", watched)
    finished.request(owner=owner, now=clock.now())
    finished.run(pk=FinishedStudy.objects.get().pk, clock=clock.now)
    assert seen == ["See the results"]


def test_a_failed_analysis_does_not_stop_the_others(
    owner: User, monkeypatch: pytest.MonkeyPatch, sent: list[tuple[str, int]]
) -> None:
    def fails(**named: Any) -> None:
        raise RuntimeError

    first, second = (FinishedStudy.objects.create(slug=slug, state=jobs.DONE) for slug in SLUGS[:2])
    seeding.make(finished.DESIGNS[first.slug], owner=owner, say=lambda _text: None)
    monkeypatch.setattr(finished.analyses, "run", fails)
    with pytest.raises(RuntimeError):
        finished.analyse(pk=first.pk, clock=clock.now)
    assert sent == [(finished.ANALYSE, second.pk)]


def test_simulated_experts_decide_every_reason_of_the_share_and_nobody_can_sign_in_as_one(owner: User) -> None:
    finished.request(owner=owner, now=clock.now())
    finished.run(pk=FinishedStudy.objects.get().pk, clock=clock.now)
    study = Study.objects.get()
    share = study.definition.review.share
    decided = ReviewItem.objects.filter(study=study, draw__lt=share)
    assert decided.count() > 3
    assert set(decided.values_list("state", flat=True)) == {"done"}
    assert set(Review.objects.values_list("note", flat=True)) == {reviewing.NOTE}
    names = StudyExpert.objects.filter(study=study).values_list("user__username", flat=True)
    assert sorted(names) == list(reviewing.NAMES)
    assert all(name.startswith("simulated-") for name in names)
    assert not get_user_model().objects.filter(username__in=names, is_staff=True).exists()


def test_a_killed_worker_leaves_work_that_the_next_one_continues(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*arguments: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    # The last one, after which the analyses are requested.
    FinishedStudy.objects.bulk_create(FinishedStudy(slug=slug, state=jobs.DONE) for slug in SLUGS[1:])
    finished.request(owner=owner, now=clock.now())
    row = FinishedStudy.objects.get(slug=SLUGS[0])
    for module, name in ((seeding.states, "launch"), (reviewing, "review"), (finished, "nudge")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, killed)
            with pytest.raises(KeyboardInterrupt):
                finished.run(pk=row.pk, clock=clock.now)
        # Its lease runs out.
        FinishedStudy.objects.filter(pk=row.pk).update(lease_until=clock.now())
    assert finished.run(pk=row.pk, clock=clock.now)
    assert (Study.objects.get().state, Session.objects.count()) == ("closed", 3)


def test_a_study_that_failed_is_tried_again_at_the_next_start(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any, **named: Any) -> None:
        raise seeding.CannotSpeak("No voice.")

    finished.request(owner=owner, now=clock.now())
    first = FinishedStudy.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr(seeding, "synthesise", fails)
        assert finished.run(pk=first.pk, clock=clock.now)
    first.refresh_from_db()
    assert (first.state, first.error) == ("failed", "No voice.")
    assert FinishedStudy.objects.count() == 2, "the next one is made nevertheless"
    finished.request(owner=owner, now=clock.now())
    first.refresh_from_db()
    assert (first.state, first.error, first.tries) == ("queued", "", 0)


def test_a_study_that_its_owner_deleted_is_not_made_again(owner: User, sent: list[tuple[str, int]]) -> None:
    FinishedStudy.objects.bulk_create(FinishedStudy(slug=slug, state=jobs.DONE) for slug in SLUGS)
    finished.request(owner=owner, now=clock.now())
    work(sent)
    assert not Study.objects.exists()


def test_a_study_that_only_shares_the_address_is_left_alone(owner: User) -> None:
    mine = seeding.states.create_study(
        slug=SLUGS[0], title="My own", preset="att", owner=owner, changes={}, now=clock.now()
    )
    finished.request(owner=owner, now=clock.now())
    finished.run(pk=FinishedStudy.objects.get().pk, clock=clock.now)
    mine.refresh_from_db()
    assert (mine.title, mine.state, Clip.objects.count()) == ("My own", "draft", 0)
