"""Scores of every grouping, from the rows that count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.data.groups import (
    ACROSS_SYSTEMS,
    ANCHOR,
    HUMAN,
    LABELS,
    ClipTable,
    Label,
    counts_in,
    is_named,
    is_seen,
    kind,
    system,
)
from analysis.live.result import Baseline, Crossed, CrossedRow, GroupScore, Quota
from analysis.stats import scores as stats
from analysis.stats.figures import Mean
from analysis.stats.scores import Keys, Scores
from studies.clips.tables import Groups
from studies.task_types.base import ScoreScale as Scale

if TYPE_CHECKING:
    from analysis.stats.design import Design

DTYPE = np.dtype(
    [("rater", np.int64), ("clip", np.int64), ("value", np.float64), ("usable", np.bool_), ("trial", np.int64)]
)
Mask = NDArray[np.bool_]
# Also shown as tables: systems as rows, these as columns (rule C2).
CROSSED = ("benchmark", "condition")
# Groupings that never pool two systems, which may have met each other.
OF_ONE = ("system", "voice")
NO_TEXT = -1
# The fields of an interval that the page's means have.
INTERVAL = ("low", "high", "method", "rater_share", "rater_mean")


def _voice_and_dimension(clip: Groups) -> Label:
    return (system(clip), kind(clip), clip.voice, clip.dimension)


def _kind(clip: Groups) -> Label:
    return (kind(clip),)


def _quota(clip: Groups) -> Label:
    return (system(clip), kind(clip), clip.benchmark)


def _system_by(by: str, clip: Groups) -> Label:
    return (getattr(clip, by), kind(clip), system(clip))


def _is_compared(clip: Groups) -> bool:
    return kind(clip) != ANCHOR


def _text(clip: Groups) -> int:
    return NO_TEXT if clip.text is None else clip.text


# Created once: `ClipTable` caches results by the function object.
CROSSED_BY = {by: partial(_system_by, by) for by in CROSSED}
COUNTS_IN = {by: partial(counts_in, by) for by in LABELS}


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Test ratings as columns of equal length, and their clips: `clips` are indices into `about`."""

    raters: Keys
    clips: Keys
    values: Scores
    usable: Mask
    trials: Keys
    about: ClipTable

    @classmethod
    def of_table(cls, table: Any, about: ClipTable) -> RatingColumns:
        """Convert rows of `DTYPE`."""
        raters, clips, values, usable, trials = (np.ascontiguousarray(table[name]) for name in DTYPE.names or ())
        return cls(raters, about.places(clips), values, usable, trials, about)

    def where(self, mask: Mask) -> RatingColumns:
        if mask.all():
            return self
        return RatingColumns(
            self.raters[mask], self.clips[mask], self.values[mask], self.usable[mask], self.trials[mask], self.about
        )

    @property
    def counted(self) -> RatingColumns:
        return self.where(self.usable)

    def of(self, by: str) -> RatingColumns:
        """Return the rows of clips that are in any group of this kind."""
        counts = self.about.column(COUNTS_IN[by])
        return self.where(counts[self.clips]) if len(self.clips) else self

    @property
    def is_compared(self) -> Mask:
        """Mask of the rows with a system's clip or human speech: no anchors."""
        return self.about.column(_is_compared)[self.clips]

    @property
    def texts(self) -> Keys:
        """The text of each row's clip; a clip without one gets a negative number of its own."""
        texts = self.about.column(_text)[self.clips]
        return np.where(texts == NO_TEXT, -1 - self.clips, texts)

    def coded(self, label: Callable[[Groups], Label]) -> tuple[Keys, list[Label]]:
        """Return each row's group as a number, and the labels of the numbers in order."""
        return self.about.coded(self.clips, label)

    def mean(self, scale: Scale) -> Mean | None:
        return self.means(np.zeros(len(self.values), dtype=np.int64), scale).get(0)

    def means(self, keys: Keys, scale: Scale, part: Keys | None = None) -> dict[int, Mean]:
        """Return each group's mean with the default interval, which clusters by raters and clips (rule D1).

        `part` (n,) is the part of the material that a group is of, such as a box.
        """
        from analysis.stats.design import coded
        from analysis.stats.intervals import measured, of_parts

        if not len(keys):
            return {}
        # Voice × dimension.
        cells, _ = self.coded(_voice_and_dimension)
        groups = stats.group(keys, self.raters, self.clips, self.values, cells, low=scale.low, high=scale.high)
        names, codes = coded(keys)
        parts = None if part is None else coded(part)[1]
        by_group = of_parts(self.design()[0], codes, parts, low=scale.low, high=scale.high)
        return {
            int(key): replace(groups[int(key)], **{name: measured(each)[name] for name in INTERVAL})
            for key, each in zip(names, by_group, strict=True)
        }

    def design(self) -> tuple[Design, list[Label]]:
        """Return the rows as input for models, and the systems (name, kind) in the order of their codes."""
        from analysis.stats.design import Design

        systems, names = self.coded(LABELS["system"])
        return Design.of(self.values, self.raters, systems, self.clips, self.texts), names


def both_sides(table: Any, others: Keys, scale: Scale) -> Any:
    """Return rows of `DTYPE` about two clips each twice: about the first clip, and turned, about the others (n,)."""
    turned = table.copy()
    turned["clip"] = others
    turned["value"] = scale.low + scale.high - table["value"]
    return np.concatenate([table, turned])


def tables(
    rows: RatingColumns, scale: Scale, first: Sequence[int] | None = None, groupings: Sequence[str] = tuple(LABELS)
) -> dict[str, tuple[GroupScore, ...]]:
    """Return one row per group for each way of grouping, best first, with the score without the trap rule.

    Ways that aren't in `groupings` have no rows.

    If disagreement asks for more raters, `first` are the trials of the first ones. Their score is free of the bias from
    reopening hard items, and is shown next to the mean over raters (rule C5).
    """
    return {by: _table(rows.of(by), scale, by, first) if by in groupings else () for by in LABELS}


def _table(rows: RatingColumns, scale: Scale, by: str, first: Sequence[int] | None) -> tuple[GroupScore, ...]:
    keys, labels = rows.coded(LABELS[by])
    counted, own = rows.counted, keys[rows.usable]
    early = np.zeros(0, dtype=bool) if first is None else np.isin(counted.trials, np.array(first, dtype=np.int64))
    entries = []
    for key, result in counted.means(own, scale, own if by in ACROSS_SYSTEMS else None).items():
        name, what, *rest = labels[key]
        row = GroupScore(
            name=name,
            kind=what,
            system=rest[0] if rest else "",
            **asdict(result),
            without_traps=float(rows.values[keys == key].mean()),
            without_traps_ratings=int((keys == key).sum()),
        )
        if first is not None:
            mine = own == key
            firsts = counted.values[mine & early]
            of_first = {
                "first": float(firsts.mean()) if len(firsts) else None,
                "first_ratings": len(firsts),
                "rater_mean": stats.mean_of_means(counted.values[mine], counted.raters[mine]),
            }
            row = row.model_copy(update=of_first)
        entries.append(row)
    return tuple(sorted(entries, key=lambda row: (-scale.sign * row.mean, row.name, row.system)))


def crossed(rows: RatingColumns, scale: Scale) -> dict[str, Crossed]:
    """Return tables of systems by benchmark and by condition, if these are given, with the unweighted mean (μ)."""
    counted = rows.counted
    return {by: table for by in CROSSED if (table := _crossed(counted, scale, by)) is not None}


def _crossed(rows: RatingColumns, scale: Scale, by: str) -> Crossed | None:
    keys, labels = rows.coded(CROSSED_BY[by])
    if not is_named(labels):
        return None
    columns = sorted({name for name, _kind, _system in labels})
    part = np.array([columns.index(name) for name, _kind, _system in labels], dtype=np.int64)[keys]
    means = rows.means(keys, scale, part)
    of_seen = set(keys[rows.about.column(is_seen)[rows.clips]].tolist()) if by == "benchmark" else set()
    seen = {labels[key] for key in of_seen}
    lines: dict[tuple[str, str], dict[str, Mean]] = {}
    for key, (column, what, name) in enumerate(labels):
        lines.setdefault((name, what), {})[column] = means[key]
    entries = [
        CrossedRow(
            name=name,
            kind=what,
            cells=tuple(cells.get(column) for column in columns),
            mu=float(np.mean([cell.mean for cell in cells.values()])),
            of=len(cells),
            seen=tuple((column, what, name) in seen for column in columns),
        )
        for (name, what), cells in lines.items()
    ]
    rows_in_order = sorted(entries, key=lambda row: (-scale.sign * row.mu, row.name))
    return Crossed(columns=tuple(columns), rows=tuple(rows_in_order))


def baseline(rows: RatingColumns, traps: RatingColumns, scale: Scale) -> Baseline | None:
    """Return the score of human speech: from human test clips, otherwise from human traps of every full batch (D2).

    A hidden reference is human; anchors are not, although they are made from human speech.
    """
    kinds, names = rows.coded(_kind)
    human = [number for number, name in enumerate(names) if name == (HUMAN,)]
    tests = rows.where(np.isin(kinds, human) & rows.usable).mean(scale)
    if tests is not None:
        return Baseline(source="test", **asdict(tests))
    trap_mean = traps.mean(scale)
    return None if trap_mean is None else Baseline(source="traps", **asdict(trap_mean))


def quota(rows: RatingColumns) -> tuple[Quota, ...]:
    """Count the different raters and utterances of each system and benchmark (rule C2).

    An utterance is a text, or a clip without a text. Includes systems without ratings.
    """
    counted = rows.counted
    keys, labels = counted.coded(_quota)
    utterances = counted.texts
    wanted = {_quota(clip) for clip in rows.about.clips if clip.role == "test"}
    seen = {
        labels[key]: (len(np.unique(counted.raters[keys == key])), len(np.unique(utterances[keys == key])))
        for key in range(len(labels))
        if labels[key][1] != ANCHOR
    }
    return tuple(
        Quota(name=name, kind=what, benchmark=benchmark, raters=raters, utterances=different)
        for (name, what, benchmark) in sorted(wanted | set(seen))
        for raters, different in [seen.get((name, what, benchmark), (0, 0))]
    )
