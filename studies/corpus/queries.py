"""Texts of a study: filtered lists, dimensions, and facts for clips and raters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet

from core.errors import NotFound
from studies import hooks
from studies.clips import queries as clips_queries
from studies.clips.models import Clip
from studies.corpus import words
from studies.corpus.mismatch import SpokenText, mismatches
from studies.corpus.models import CorpusSettings, CorpusText, TextComment
from studies.corpus.rules import ACCEPTED, CHECKED, DRAFT
from studies.corpus.words import Dimension
from studies.definition.models import Study
from studies.hooks import SpokenContext, TextFacts
from studies.rules.text import graphemes
from studies.summaries.services import SummaryKind

# The value of a filter for texts without one.
NONE = "-"


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a list of texts; unknown values in a link are ignored."""

    search: str = ""
    dimension: str = ""
    box: str = ""
    language: str = ""
    state: str = ""

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Filters:
        values = {name: str(sent.get(name, "")).replace("\0", "").strip()[:200] for name in cls.__slots__}
        values["state"] = values["state"] if values["state"] in CorpusText.State.values else ""
        values["box"] = values["box"] if values["box"] in {*CorpusText.Box.values, NONE} else ""
        return cls(**values)

    @property
    def is_filtering(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)

    @property
    def query(self) -> str:
        """Return the filters as the query of an address, ready for more parameters; empty without any."""
        named = {name: value for name in self.__slots__ if (value := getattr(self, name))}
        return urlencode(named) + "&" if named else ""


def matching(study: Study, filters: Filters, *, withheld: Collection[str] = ()) -> QuerySet[CorpusText]:
    """Return the texts that match, by name; the words of `withheld` ones find nothing."""
    rows = CorpusText.objects.filter(study=study).order_by("name")
    for name in ("dimension", "box", "language"):
        if value := getattr(filters, name):
            rows = rows.filter(**{name: "" if value == NONE else value})
    if filters.state:
        rows = rows.filter(state=filters.state)
    if filters.search:
        named = Q(name__icontains=filters.search) | Q(source__icontains=filters.search)
        worded = Q(body__icontains=filters.search)
        rows = rows.filter(named | (worded & ~Q(name__in=withheld)))
    return rows


def text(study: Study, pk: int) -> CorpusText:
    """Return one text of this study; raise `NotFound`."""
    row = CorpusText.objects.filter(study=study, pk=pk).first()
    if row is None:
        raise NotFound("There is no such text in this study.")
    return row


def settings(study: Study) -> CorpusSettings:
    """Return the settings for writing a study's texts, or the defaults."""
    return CorpusSettings.objects.filter(study=study).first() or CorpusSettings(study=study)


def dimensions(study: Study) -> list[Dimension]:
    """Return the study's own dimensions, or those of the ATT paper."""
    own = settings(study).dimensions
    return [Dimension(each["name"], each["name"], each["explanation"]) for each in own] or list(words.ATT)


def usable(study: Study) -> QuerySet[CorpusText]:
    """Return the texts ready for lists, by name."""
    states = [CHECKED] if settings(study).cross_check else [ACCEPTED, CHECKED]
    return CorpusText.objects.filter(study=study, state__in=states).order_by("name")


def facts(study_id: int, names: Collection[str] | None = None) -> dict[str, TextFacts]:
    """Return {name: facts for clips} of the accepted texts."""
    rows = CorpusText.objects.filter(study_id=study_id, state__in=[ACCEPTED, CHECKED])
    if names is not None:
        rows = rows.filter(name__in=names)
    return {row.name: TextFacts(row.body, row.dimension, row.language, row.box, context(row)) for row in rows}


def black(study_id: int) -> frozenset[str]:
    """Return the names of black-box texts."""
    rows = CorpusText.objects.filter(study_id=study_id, box=CorpusText.Box.BLACK)
    return frozenset(rows.values_list("name", flat=True))


def context(text: CorpusText) -> SpokenContext | None:
    """Return the context that raters may see with a clip; None without any."""
    if not text.style and not text.turns:
        return None
    return {"style": text.style, "turns": text.turns, "language": text.language}


class Counts(NamedTuple):
    """Numbers of texts by state."""

    total: int
    drafts: int
    accepted: int
    checked: int
    rejected: int


def counts(study: Study) -> Counts:
    """Count a study's texts; one SELECT."""
    rows = CorpusText.objects.filter(study=study).order_by().values_list("state").annotate(number=Count("pk"))
    numbers = dict(rows)
    return Counts(sum(numbers.values()), *(numbers.get(state, 0) for state in (DRAFT, ACCEPTED, CHECKED, "rejected")))


class Waiting(NamedTuple):
    """Numbers of texts that wait for one person: drafts to review, and accepted ones to cross-check."""

    drafts: int
    to_check: int


def waiting(studies: Collection[int], user: int) -> dict[int, Waiting]:
    """Return {study: texts waiting for this person}, without studies that have none. Nobody cross-checks their own
    review."""
    alone = CorpusSettings.objects.filter(study__in=studies, cross_check=False).values("study")
    rows = CorpusText.objects.filter(study__in=studies).order_by().values_list("study")
    drafts = dict(rows.filter(state=DRAFT).annotate(number=Count("pk")))
    accepted = rows.filter(state=ACCEPTED).exclude(study__in=alone).exclude(accepted_by=None).exclude(accepted_by=user)
    to_check = dict(accepted.annotate(number=Count("pk")))
    return {pk: Waiting(drafts.get(pk, 0), to_check.get(pk, 0)) for pk in drafts.keys() | to_check.keys()}


def remarks(texts: Collection[int]) -> dict[int, int]:
    """Return {text: its comments} of texts that have some."""
    rows = TextComment.objects.filter(text__in=texts).order_by().values_list("text")
    return dict(rows.annotate(number=Count("pk")))


def choices(study: Study, column: str) -> list[str]:
    """Return the values of a column in alphabetical order, without the empty one."""
    rows = CorpusText.objects.filter(study=study).exclude(**{column: ""}).order_by(column)
    return list(rows.values_list(column, flat=True).distinct())


def spoken(study: Study) -> list[SpokenText]:
    """Return the clips in use with known text, and its length; one SELECT."""
    rows = Clip.objects.filter(study=study, withdrawn_at=None).exclude(text=None).exclude(text__body="")
    columns = ("pk", "system__name", "language", "text__body", "duration")
    return [
        SpokenText(pk, system, language, graphemes(body), seconds)
        for pk, system, language, body, seconds in rows.order_by("pk").values_list(*columns)
    ]


@dataclass(frozen=True, slots=True)
class DoubtfulClip:
    """A clip that may not be its text, and the reason."""

    clip: int
    file: str
    text: str
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Doubts:
    """The first clips that may not be their text, and their number."""

    clips: list[DoubtfulClip]
    number: int

    @property
    def more(self) -> int:
        return self.number - len(self.clips)


# Clips listed at most.
DOUBTFUL = 20


def doubtful(study: Study, _choice: str = "") -> Doubts:
    """Compare all clips with their texts."""
    reasons: dict[int, list[str]] = {}
    for each in mismatches(spoken(study)):
        reasons.setdefault(each.clip, []).append(words.of_mismatch(each))
    for doubts in hooks.text_doubts:
        for clip, reason in doubts(study.pk).items():
            reasons.setdefault(clip, []).append(reason)
    first = list(reasons)[:DOUBTFUL]
    clips = Clip.objects.filter(pk__in=first).select_related("text").in_bulk()
    listed = [
        DoubtfulClip(
            pk, clips[pk].file, "" if (spoken_text := clips[pk].text) is None else spoken_text.name, reasons[pk]
        )
        for pk in first
        if pk in clips
    ]
    return Doubts(listed, len(reasons))


DOUBTS = SummaryKind("doubts", Doubts, doubtful, clips_queries.all_of)
