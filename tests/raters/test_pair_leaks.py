"""The leak crawl of a comparison: no side, field, size or key tells a system or a trap, and planted leaks are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.http import HttpRequest

from core.files import storage
from core.web.middleware import ContentSecurityPolicy
from raters.models import Answer, Trial, TrialClip
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.models import Clip, Study, StudyVersion, System, Text
from studies.pool.layout import lay_out
from studies.task_types import _comparison
from studies.task_types.base import Presentation
from tests.raters.crawl import Crawl
from tests.raters.leaks import check
from tests.raters.secretive import BROKEN, HUMAN, RATE, ROLE_WORDS, SYSTEMS, World, sound
from tests.raters.test_screen_leaks import ScreenVisitor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
RATERS, TEXTS, SECONDS = 8, 3, 0.4
SETTINGS: dict[str, Any] = {
    "task.answer": "tie",
    "audio.sample_rate": RATE,
    "protocol.tests_per_batch": TEXTS,
    "protocol.batches_per_session": 1,
    "protocol.flawed_traps": 1,
    "protocol.human_traps": 1,
    "protocol.human_traps_right": 1,
    "protocol.ratings_wanted": RATERS,
    "screening.device": "off",
    "screening.volume": False,
    "screening.headphones": "none",
}
# X is a copy of A or B.
COPIES: dict[str, Any] = {
    **SETTINGS,
    "task.answer": "forced",
    "task.reference": "copy",
    "protocol.flawed_traps": 0,
    "protocol.human_traps": 0,
    "protocol.human_traps_right": 0,
}
# In half of the trials, one clip twice.
DOUBLED = COPIES | {"task.answer": "same", "task.reference": "none"}
# The clips of a text at once, to be ranked.
RANKED = {name: value for name, value in COPIES.items() if name not in ("task.answer", "task.reference")}
WRITTEN = RANKED | {"protocol.max_plays": 20}
# One clip at a time, with an attention check and a golden clip.
RATED = {**{name: value for name, value in SETTINGS.items() if name != "task.answer"}, "task.way": "one_page"}
EXPECTED = {"trap_flawed": "2", "trap_human": "4.."}
Plant = Callable[[HttpRequest, dict[str, Any]], None]


def make(now: datetime, settings: dict[str, Any], preset: str = "ab") -> World:
    """Make a live study of two systems, with trap clips."""
    draft = parse(change(presets.get(preset).definition.model_dump(mode="json"), settings)).model_dump(mode="json")
    study = Study.objects.create(slug="pairs", title="Voices", draft=draft)
    world = World(study)
    world.hide("system", HUMAN, BROKEN, *SYSTEMS)
    world.hide("role", *ROLE_WORDS)
    world.hide("text", *(f"{kind}{n}" for kind in ("zqtext", "zqbody") for n in range(TEXTS)))
    systems = {name: System.objects.create(study=study, name=name) for name in (HUMAN, BROKEN, *SYSTEMS)}
    texts = [Text.objects.create(study=study, name=f"zqtext{n}", body=f"Zqbody{n} says this.") for n in range(TEXTS)]
    wanted: list[tuple[str, str, Text | None]] = [(name, "test", text) for text in texts for name in SYSTEMS]
    wanted += [(BROKEN, "trap_flawed", None), (HUMAN, "trap_human", None)]
    for number, (name, role, text) in enumerate(wanted):
        # One length: what a length tells of a clip can be heard.
        rendition = sound(role, SECONDS, number + 1)[1]
        Clip.objects.create(
            study=study,
            file=f"zqfile{number}.wav",
            system=systems[name],
            role=role,
            text=text,
            expected=EXPECTED.get(role, ""),
            sha256=f"{number}".zfill(64),
            rendition=storage.put("renditions", rendition),
            rendition_bytes=len(rendition),
            duration=SECONDS,
            sample_rate=RATE,
            channels=1,
            true_peak=-1.0,
            added_at=now,
        )
    StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    lay_out(study=study, now=now, rng=Random(7))
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now)
    return world


def crawled(
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
    plant: Plant | None = None,
    settings: dict[str, Any] = SETTINGS,
    preset: str = "ab",
    passes: int = 1,
) -> list[str]:
    """Rate the study as several people, with or without something in the JSON of each trial; return the leaks."""
    whole = ContentSecurityPolicy.__call__

    def leaky(middleware: ContentSecurityPolicy, request: HttpRequest) -> Any:
        response = whole(middleware, request)
        if plant and response.get("Content-Type") == "application/json" and b'"clips"' in response.content:
            content = json.loads(response.content)
            plant(request, content["trial"])
            response.content = json.dumps(content).encode()
            response["Content-Length"] = str(len(response.content))
        return response

    monkeypatch.setattr(ContentSecurityPolicy, "__call__", leaky)
    crawl = Crawl(make(now, settings, preset), now, monkeypatch)
    for number in range(RATERS):
        ScreenVisitor(crawl, f"rater{number}").rate(thoroughly=False)
    traps = {"trap_flawed", "trap_human"} if settings["protocol.flawed_traps"] else set[str]()
    assert Answer.objects.count() == RATERS * (TEXTS + len(traps)) * passes
    assert set(Trial.objects.values_list("item__role", flat=True)) == {"test"} | traps
    return [str(leak) for leak in check(crawl.log)]


def kinds_of(leaks: list[str]) -> set[str]:
    return {leak.partition(":")[0] for leak in leaks}


def test_a_comparison_with_traps_leaks_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch) == []


def test_sides_that_are_always_the_same_are_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    def always(*_arguments: Any) -> Presentation:
        return Presentation(order=(0, 1))

    monkeypatch.setattr(_comparison.Comparison, "draw", always)
    monkeypatch.setattr(_comparison.Comparison, "balances_sides", lambda *_arguments: False)
    assert "side" in kinds_of(crawled(now, monkeypatch))


def clips_of(trial: dict[str, Any]) -> list[Clip]:
    keys = [clip["key"] for clip in trial["clips"]]
    rows = {row.key: row.clip for row in TrialClip.objects.filter(key__in=keys).select_related("clip__system")}
    return [rows[key] for key in keys]


def name_of_the_system(_request: HttpRequest, trial: dict[str, Any]) -> None:
    trial["hint"] = clips_of(trial)[0].system.name


def number_by_system(_request: HttpRequest, trial: dict[str, Any]) -> None:
    trial["tier"] = int(clips_of(trial)[0].system.name == SYSTEMS[0])


def number_by_trap(_request: HttpRequest, trial: dict[str, Any]) -> None:
    trial["tier"] = int(clips_of(trial)[0].pk == clips_of(trial)[1].pk)


def one_key_for_the_same_clip(_request: HttpRequest, trial: dict[str, Any]) -> None:
    for clip, known in zip(trial["clips"], clips_of(trial), strict=True):
        clip["cache"] = known.pk


def number_by_x(_request: HttpRequest, trial: dict[str, Any]) -> None:
    x, a, _b = clips_of(trial)
    trial["tier"] = int(x.pk == a.pk)


PLANTS: dict[str, tuple[Plant, str]] = {
    "the system's name": (name_of_the_system, "word"),
    "a number by the system of A": (number_by_system, "pattern"),
    "a number on identical clips": (number_by_trap, "pattern"),
    "a key of the clip": (one_key_for_the_same_clip, "screen field"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_what_tells_a_system_or_a_trap_is_found(name: str, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, kind = PLANTS[name]
    assert kind in kinds_of(crawled(now, monkeypatch, plant))


def test_a_copy_of_one_of_two_clips_leaks_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=COPIES) == []
    trials = [list(trial.clips.order_by("place").values_list("clip", flat=True)) for trial in Trial.objects.all()]
    assert {x == a for x, a, _b in trials} == {True, False}


def test_what_tells_which_of_two_clips_x_is_a_copy_of_is_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "copy" in kinds_of(crawled(now, monkeypatch, number_by_x, COPIES))


def test_clips_that_are_ranked_leak_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=RANKED, preset="ranking") == []
    orders = [tuple(trial.clips.order_by("place").values_list("clip", flat=True)) for trial in Trial.objects.all()]
    assert len({order[0] < order[1] for order in orders}) == 2


def test_a_key_that_clips_have_in_every_ranking_is_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    leaks = crawled(now, monkeypatch, one_key_for_the_same_clip, RANKED, "ranking")
    assert "screen field" in kinds_of(leaks)


def test_a_transcription_leaks_no_word_of_its_text(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=WRITTEN, preset="transcription") == []
    assert {trial.shown["private"]["text"] for trial in Trial.objects.all()} == {
        f"Zqbody{n} says this." for n in range(TEXTS)
    }


def words_of_the_text(_request: HttpRequest, trial: dict[str, Any]) -> None:
    trial["hint"] = str(clips_of(trial)[0].text.body)  # type: ignore[union-attr]


def test_words_of_the_text_in_a_transcription_are_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "word" in kinds_of(crawled(now, monkeypatch, words_of_the_text, WRITTEN, "transcription"))


def test_one_clip_twice_leaks_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=DOUBLED, preset="same-different") == []
    trials = [list(trial.clips.order_by("place").values_list("clip", flat=True)) for trial in Trial.objects.all()]
    assert {first == second for first, second in trials} == {True, False}


def test_what_tells_one_clip_twice_from_two_clips_is_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "copy" in kinds_of(crawled(now, monkeypatch, number_by_trap, DOUBLED, "same-different"))


def test_more_questions_about_a_pair_leak_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {name: value for name, value in COPIES.items() if name not in ("task.answer", "task.reference")}
    assert crawled(now, monkeypatch, settings=settings, preset="pairwise-dimensions") == []


def what_is_expected(_request: HttpRequest, trial: dict[str, Any]) -> None:
    trial["goal"] = clips_of(trial)[0].expected


def test_scales_with_expected_answers_leak_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=RATED, preset="scales") == []


def test_an_expected_answer_that_is_sent_is_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, what_is_expected, RATED, "scales")


# Names of equal length, because the pass, which raters know, may show in the length of a page.
NAMES = ("Natural", "Clarity")
IN_PASSES = RATED | {
    "task.way": "passes",
    "task.scales": [{"name": name, "question": f"How good is the {name.lower()}?"} for name in NAMES],
    "protocol.batches_per_session": 1,
}


def test_scales_in_separate_passes_leak_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, settings=IN_PASSES, preset="scales", passes=2) == []


def test_an_expected_answer_that_is_sent_in_a_pass_is_found(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert crawled(now, monkeypatch, what_is_expected, IN_PASSES, "scales", passes=2)
