"""Draw the sample of a spot check: a random share of each system's clips, and replacements of failed ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from studies.clips.models import Clip
from studies.definition.models import Study
from studies.rules.decisions import draws
from studies.rules.spot_checks import sample_size
from studies.spot_checks.models import SpotClip, SpotItem

HUMAN = "human"
# Two clips with equal values are takes of the same text by the same voice.
VOICE = ("voice", "text", "condition")
PLACE = (*VOICE, "take")


@dataclass(frozen=True, slots=True)
class Unit:
    """An item to check: a clip, or the takes of one text by one voice."""

    kind: str
    system: int
    # Two numbers in [0, 1), unpredictable without the study's secret.
    draw: float
    order: float
    clips: tuple[int, ...]
    about: tuple[dict[str, str], ...]
    is_replacement: bool = False


def missing(study: Study) -> list[Unit]:
    """Return the missing items of the sample. Items stay as long as their clips do; decided items always stay.

    Reads the study's synthesised test clips once: two seconds for 40,000 of them and 10,000 drawn.
    """
    settings = study.definition.spot_check
    if settings.mode == "off" or not study.is_draft:
        return []
    known = _known(study.pk)
    new: list[Unit] = []
    groups: dict[tuple[str, int], list[Unit]] = defaultdict(list)
    for unit in units(study):
        groups[unit.kind, unit.system].append(unit)
    failed = [(item, places) for item, places in known.items() if item.outcome == SpotItem.Outcome.FAILED]
    for (kind, system), candidates in groups.items():
        theirs = {item: clips for item, clips in known.items() if (item.kind, item.system_id) == (kind, system)}
        there = {_clips(clips) for clips in theirs.values()}
        drawn = [
            item for item in theirs if not item.is_replacement and (item.state == "done" or _is_whole(known[item]))
        ]
        gone = sum(item.state == "done" and not _is_whole(known[item]) for item in drawn)
        fresh = [unit for unit in candidates if unit.clips not in there]
        lost = {_places(places) for item, places in failed if item in theirs and not _is_whole(places)}
        lost.discard(frozenset())
        for unit in fresh:
            if _unit_places(unit) in lost:
                new.append(_as_replacement(unit))
        fresh = sorted((unit for unit in fresh if _unit_places(unit) not in lost), key=lambda unit: unit.draw)
        wanted = sample_size(settings.share, len(candidates) + gone) - len(drawn)
        new += fresh[: max(0, wanted)]
    return new


def units(study: Study) -> Iterable[Unit]:
    """Yield all possible items of the spot check: each clip, and each text of which a voice has several takes."""
    rows = Clip.objects.filter(study=study, role=Clip.Role.TEST, withdrawn_at=None).exclude(system__name=HUMAN)
    columns = ("pk", "system_id", "file", "sha256", "voice", "text__name", "condition", "take")
    takes: dict[tuple[Any, ...], dict[str, tuple[int, dict[str, str]]]] = defaultdict(dict)
    for pk, system, file, sha256, voice, text, condition, take in rows.order_by("pk").values_list(*columns):
        about = {
            "file": file,
            "sha256": sha256,
            "voice": voice,
            "text": text or "",
            "condition": condition,
            "take": take,
        }
        yield Unit("success", system, *draws("spot", study.secret, "success", pk), (pk,), (about,))
        if text:
            takes[system, voice, text, condition].setdefault(take, (pk, about))
    for (system, *voice), each in takes.items():
        if len(each) > 1:
            clips, abouts = zip(*each.values(), strict=True)
            yield Unit(
                "consistency", system, *draws("spot", study.secret, "consistency", system, *voice), clips, abouts
            )


def _known(study_id: int) -> dict[SpotItem, list[SpotClip]]:
    rows = SpotClip.objects.filter(item__study=study_id).select_related("item", "clip").order_by("item", "place")
    clips_by_item: dict[SpotItem, list[SpotClip]] = defaultdict(list)
    for row in rows:
        clips_by_item[row.item].append(row)
    return clips_by_item


def _is_whole(clips: Iterable[SpotClip]) -> bool:
    return all(each.clip is not None and each.clip.withdrawn_at is None for each in clips)


def _clips(clips: Iterable[SpotClip]) -> tuple[int, ...]:
    return tuple(each.clip_id or 0 for each in clips)


def _places(clips: Sequence[SpotClip]) -> frozenset[tuple[str, ...]]:
    return _where([each.about for each in clips])


def _unit_places(unit: Unit) -> frozenset[tuple[str, ...]]:
    return _where(unit.about)


def _where(abouts: Sequence[dict[str, str]]) -> frozenset[tuple[str, ...]]:
    """Return the identity of a sample's place: a clip with its take, or all takes together; None without a text."""
    names = PLACE if len(abouts) == 1 else VOICE
    return frozenset(tuple(about[name] for name in names) for about in abouts if about["text"])


def _as_replacement(unit: Unit) -> Unit:
    return Unit(unit.kind, unit.system, unit.draw, unit.order, unit.clips, unit.about, is_replacement=True)
