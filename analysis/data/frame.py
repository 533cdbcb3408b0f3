"""All ratings with a study's score as one table: the input of every analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.data import groups
from raters.rating import scored
from raters.rating.scored import ScoredRating
from studies.clips import queries as clips_queries
from studies.clips.queries import Labels
from studies.definition import queries as definition_queries
from studies.pool import queries as pool_queries

if TYPE_CHECKING:
    from pandas import DataFrame

# The numbers of a row, packed while pages are read.
ROW = np.dtype(
    [
        *[(name, np.int64) for name in ("rating", "trial", "batch", "session", "rater", "clip", "item", "question")],
        *[(name, np.int32) for name in ("version", "position", "place", "code", "reasons")],
        *[(name, np.float64) for name in ("score", "response_seconds", "decision_seconds")],
        *[(name, np.bool_) for name in ("usable", "late", "surplus", "simulated")],
    ]
)
OF_CLIP = (
    "role", "system", "kind", "voice", "dimension", "benchmark", "condition", "domain", "box", "take", "text",
    "language", "seen",
)  # fmt: skip
COLUMNS = (
    "rating", "trial", "batch", "session", "rater", "clip", "item", "question", "position", "version", *OF_CLIP, "code",
    "score", "usable", "reasons", "late", "surplus", "response_seconds", "decision_seconds", "simulated",
)  # fmt: skip
# Where two systems are compared: the other one, and whether its clip came second.
OF_PAIR = ("against", "against_kind", "is_first")
TRAPS = ("trap_flawed", "trap_human")


def scores(study_id: int, which: bool | None, versions: Sequence[int] | None = None, part: str = "") -> DataFrame:
    """Return one row per rating with the task's score, in the order stored: real raters, simulated ones, or both.

    Includes every role, usable or not, but no golden questions. `role` is the clip's (test, trap_flawed, trap_human,
    reference, anchor), `system` and `kind` are named as in results (`groups`), `position` counts from 1 over the
    session, `version` is a number, `reasons` are exclusion rules joined by |, seconds are a clip's share of its trial's
    (NaN: unknown), `question` is 0 in tasks without questions. `seen` is yes if the system was trained on the clip's
    benchmark. Tasks that compare two systems add `OF_PAIR`. Text columns are categories. `versions` are numbers of
    versions (None: all). `part` reads another part of the answers than the score. Takes about 140 bytes a row while
    reading, page by page, and 130 after.
    """
    kind = definition_queries.definition(definition_queries.study_of(study_id)).kind
    numbers = clips_queries.numbers(study_id)
    wanted = None if versions is None else [pk for pk, number in numbers.items() if number in set(versions)]
    codes: dict[str, int] = {}
    reasons: dict[str, int] = {}
    parts = [
        _packed(page, numbers, codes, reasons)
        for page in scored.pages(study_id, part or kind.score.part, which, wanted)
    ]
    labels = clips_queries.labels(study_id)
    first = np.concatenate([part["place"] == kind.leads for part in parts] or [np.zeros(0, np.bool_)])
    frame = _frame(parts, labels, list(codes), list(reasons))
    return _with_pairs(frame.assign(is_first=first), study_id, labels) if kind.contests else frame


def counted(frame: DataFrame) -> DataFrame:
    """Return the rows that enter scores: usable, without traps (rule C1)."""
    return frame[frame["usable"].to_numpy() & ~frame["role"].isin(TRAPS).to_numpy()]


def _packed(
    page: Sequence[ScoredRating], numbers: Mapping[int, int], codes: dict[str, int], reasons: dict[str, int]
) -> Any:
    return np.array(
        [
            (
                row.rating, row.trial, row.batch, row.session, row.rater, row.clip, row.item, row.question,
                numbers[row.version], row.position, row.place,
                codes.setdefault(row.code, len(codes)), reasons.setdefault(row.reasons, len(reasons)),
                row.score, row.response, row.decision,
                row.usable, row.late, row.surplus, row.simulated,
            )
            for row in page
        ],
        dtype=ROW,
    )  # fmt: skip


def _frame(parts: list[Any], labels: Mapping[int, Labels], codes: list[str], reasons: list[str]) -> DataFrame:
    import pandas as pd

    whole = {
        name: np.concatenate([part[name] for part in parts] or [np.zeros(0, ROW[name])]) for name in ROW.names or ()
    }
    parts.clear()
    clips, at = np.unique(whole["clip"], return_inverse=True)
    label_rows = [clip_labels(labels[int(clip)]) for clip in clips]
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        if name in OF_CLIP:
            columns[name] = _category(np.array([row[name] for row in label_rows], dtype=object), at)
        elif name in ("code", "reasons"):
            columns[name] = _category(np.array(codes if name == "code" else reasons, dtype=object), whole.pop(name))
        else:
            columns[name] = whole.pop(name)
    return pd.DataFrame(columns)


def _with_pairs(frame: DataFrame, study_id: int, labels: Mapping[int, Labels]) -> DataFrame:
    """Add the system of the item's second clip to each row, which is about the first."""
    items, at = np.unique(frame["item"].to_numpy(), return_inverse=True)
    others = pool_queries.second_clips(study_id)
    rows = [clip_labels(labels[others[int(item)]]) for item in items]
    named = {"against": "system", "against_kind": "kind"}
    return frame.assign(
        **{name: _category(np.array([row[of] for row in rows], dtype=object), at) for name, of in named.items()}
    )


def _category(values: Any, at: Any) -> Any:
    """Return `values[at]` as a category with levels in alphabetical order."""
    import pandas as pd

    levels, codes = np.unique(values.astype(str), return_inverse=True)
    return pd.Categorical.from_codes(
        codes.reshape(-1)[at] if len(at) else at, categories=pd.Index(levels, dtype=object)
    )


def category(values: Any) -> Any:
    """Return strings as a category with levels in alphabetical order."""
    return _category(*np.unique(values.astype(str), return_inverse=True))


def clip_labels(clip: Labels) -> dict[str, str]:
    """Return the columns `OF_CLIP` of a clip."""
    of = clip.groups
    return {
        "role": of.role,
        "system": groups.system(of),
        "kind": groups.kind(of),
        "voice": of.voice,
        "dimension": of.dimension,
        "benchmark": of.benchmark,
        "condition": of.condition,
        "domain": of.domain,
        "box": of.box,
        "take": clip.take,
        "text": clip.text,
        "language": clip.language,
        "seen": "yes" if groups.is_seen(of) else "",
    }
