"""Codes by system, voice and dimension, with quotes, and inter-rater agreement per code."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Max, Q

from raters.experts import coding
from raters.experts.models import Coding, CodingItem, CodingMark
from raters.rating.models import TrialClip
from raters.rating.rules import codes
from studies.decisions.queue import pairs
from studies.definition.settings.coding import Code
from studies.definition.settings.coding import CodingSettings as Settings
from studies.rules.agreement import Kappa, kappa

BY = ("system", "voice", "dimension")
QUOTES = 3


@dataclass(frozen=True, slots=True)
class CodeShare:
    """A count: `number` of `of` coded texts have a code."""

    number: int
    of: int

    @property
    def percent(self) -> float:
        return 100 * self.number / self.of if self.of else 0.0


class CodeQuote(NamedTuple):
    """Words marked with a code, with the text before and after; read from the current answer."""

    before: str
    words: str
    after: str
    polarity: str
    system: str


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One code's counts, in all texts and by group. A line for a whole dimension has no code and no quotes."""

    code: str
    name: str
    about: str
    all: CodeShare
    human: CodeShare
    machine: CodeShare
    groups: tuple[CodeShare, ...]
    quotes: tuple[CodeQuote, ...] = ()
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class CodeTable:
    """Lines by codebook dimension; `groups` are the systems, voices or dimensions of the clips, with n."""

    n: int
    groups: tuple[tuple[str, int], ...]
    lines: tuple[CodeLine, ...]


@dataclass(slots=True)
class _CodedText:
    """One text with the marks of its first valid coding."""

    item: CodingItem
    marks: list[CodingMark] = field(default_factory=list)
    clips: list[tuple[str, str, str]] = field(default_factory=list)

    def groups(self, by: str) -> set[str]:
        if by == "system":
            return {system for system, _voice, _dimension in self.clips}
        if by == "voice":
            return {" · ".join(filter(None, (system, voice))) for system, voice, _dimension in self.clips}
        return {dimension or "–" for _system, _voice, dimension in self.clips}

    def has(self, wanted: set[str], polarity: str = "") -> bool:
        return any(mark.code in wanted and polarity in ("", mark.polarity) for mark in self.marks)


def table(study_id: int, settings: Settings, by: str) -> CodeTable:
    """Count the texts with each code, using each text's first coding; six SELECTs."""
    coded = _coded(study_id, settings)
    groups: defaultdict[str, list[_CodedText]] = defaultdict(list)
    for each in coded:
        for name in each.groups(by):
            groups[name].append(each)
    ordered = sorted(groups.items())
    book, retired = known(study_id, settings)
    lines: list[CodeLine] = []
    dimensions: defaultdict[str, list[Code]] = defaultdict(list)
    for code in book:
        dimensions[code.dimension].append(code)
    for dimension, theirs in dimensions.items():
        if dimension and len(theirs) > 1:
            lines.append(_line("", dimension, "", {code.code for code in theirs}, coded, ordered))
        for code in theirs:
            line = _line(code.code, code.name, code.about, {code.code}, coded, ordered, code.code in retired)
            lines.append(line)
    return CodeTable(len(coded), tuple((name, len(some)) for name, some in ordered), tuple(lines))


def known(study_id: int, settings: Settings) -> tuple[list[Code], set[str]]:
    """Return the codes offered or ever used, with their latest names, and the used ones no longer offered."""
    used = CodingMark.objects.filter(coding__study=study_id, coding__revoked_at=None)
    kinds_of = used.values("code", "name", "dimension", is_reason=Q(coding__item__rating=None))
    rows = kinds_of.annotate(last=Max("pk")).order_by("last").values_list("code", "name", "dimension", "is_reason")
    used_codes = {code: Code(code, name, dimension) for code, name, dimension, _is_reason in rows}
    kinds = {is_reason for *_code, is_reason in rows}
    book: dict[str, Code] = {}
    for kind in ("reason", "comment"):
        if (kind == "reason") in kinds or not kinds:
            book |= {code.code: code for code in codes.book("reason" if kind == "reason" else "comment", settings)}
    gone = {code: definition for code, definition in used_codes.items() if code not in book}
    return [*book.values(), *gone.values()], set(gone)


def agreement(study_id: int, settings: Settings) -> list[tuple[Code, Kappa, int]]:
    """For each code, return kappa over the random double share, and the number of texts with it by either expert."""
    rows = Coding.objects.filter(study_id=study_id, revoked_at=None, doubled=True, item__answer__trial__usable=True)
    if not settings.simulated:
        rows = rows.filter(item__simulated=False)
    # Descending, so that "first" precedes "double".
    coded_twice = pairs(rows.order_by("-purpose").values_list("item_id", "pk"))
    has: defaultdict[int, set[str]] = defaultdict(set)
    for pk, found_code in CodingMark.objects.filter(coding__in=rows).values_list("coding_id", "code"):
        has[pk].add(found_code)
    results = []
    for code in known(study_id, settings)[0]:
        both = [tuple("yes" if code.code in has[pk] else "no" for pk in pair) for pair in coded_twice]
        if (value := kappa([(first, second) for first, second in both])) is not None:
            results.append((code, value, sum("yes" in pair for pair in both)))
    return results


def _coded(study_id: int, settings: Settings) -> list[_CodedText]:
    """Return the usable coded texts in their random order."""
    rows = Coding.objects.filter(study_id=study_id, revoked_at=None, item__answer__trial__usable=True)
    if not settings.simulated:
        rows = rows.filter(item__simulated=False)
    first: dict[int, int] = {}
    for pk, item in rows.order_by("purpose", "pk").values_list("pk", "item_id"):
        # "first" sorts after "double" and prevails.
        first[item] = pk
    item_of_coding = {pk: item for item, pk in first.items()}
    # A subquery, because a statement takes at most 65,535 values.
    items = CodingItem.objects.filter(pk__in=rows.values("item")).select_related("answer", "rating").order_by("draw")
    # Skip the long columns, which are unused here.
    items = items.only("answer__reason", "rating__note")
    coded = {item.pk: _CodedText(item) for item in items}
    for mark in CodingMark.objects.filter(coding__in=rows).order_by("pk"):
        if mark.coding_id in item_of_coding:
            coded[item_of_coding[mark.coding_id]].marks.append(mark)
    clips: defaultdict[int, list[tuple[str, str, str]]] = defaultdict(list)
    trial_clips = (
        TrialClip.objects.filter(trial__answer__coding_items__in=items).order_by("trial_id", "place").distinct()
    )
    for trial, *clip in trial_clips.values_list("trial_id", "clip__system__name", "clip__voice", "clip__dimension"):
        clips[trial].append((clip[0], clip[1], clip[2]))
    for each in coded.values():
        each.clips = clips[each.item.answer_id]
    return list(coded.values())


def _line(
    code: str,
    name: str,
    about: str,
    wanted: set[str],
    coded: list[_CodedText],
    groups: Iterable[tuple[str, list[_CodedText]]],
    is_retired: bool = False,
) -> CodeLine:
    return CodeLine(
        code,
        name,
        about,
        _cell(coded, wanted),
        _cell(coded, wanted, "human"),
        _cell(coded, wanted, "machine"),
        tuple(_cell(some, wanted) for _name, some in groups),
        tuple(_quotes(coded, code)) if code else (),
        is_retired,
    )


def _cell(coded: list[_CodedText], wanted: set[str], polarity: str = "") -> CodeShare:
    return CodeShare(sum(each.has(wanted, polarity) for each in coded), len(coded))


def _quotes(coded: list[_CodedText], code: str) -> Iterable[CodeQuote]:
    """Return example quotes of a code: at most one per text, highlighted ones first, otherwise at random."""
    marks = [(mark, each) for each in coded for mark in each.marks if mark.code == code]
    quotes_by_item: Counter[int] = Counter()
    for mark, each in sorted(marks, key=lambda pair: pair[0].start is None):
        parts = codes.quote(coding.text_of(each.item), mark.start, mark.stop)
        if parts is not None and not quotes_by_item[each.item.pk] and len(quotes_by_item) < QUOTES:
            quotes_by_item[each.item.pk] += 1
            yield CodeQuote(*parts, mark.polarity, ", ".join(sorted(each.groups("system"))))


def of_comments(study_id: int, ratings: Collection[int]) -> dict[int, list[str]]:
    """Return {rating: names of the codes in its comment} from the first coding of each comment; two SELECTs."""
    rows = Coding.objects.filter(study_id=study_id, revoked_at=None, item__rating__in=ratings)
    # "first" sorts after "double" and prevails.
    first = dict(rows.order_by("purpose", "pk").values_list("item__rating", "pk"))
    names_by_rating: dict[int, list[str]] = {rating: [] for rating in first}
    coded = {coding: rating for rating, coding in first.items()}
    marks = CodingMark.objects.filter(coding__in=coded).order_by("pk").values_list("coding_id", "name")
    for coding_pk, name in marks:
        names = names_by_rating[coded[coding_pk]]
        if name not in names:
            names.append(name)
    return names_by_rating


def has_codings(study_id: int) -> bool:
    return Coding.objects.filter(study_id=study_id).exists()
