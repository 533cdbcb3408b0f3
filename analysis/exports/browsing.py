"""evidence.csv: what browsers reported with each answer; skipped.csv: trials with a clip that could not be played."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeGuard

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from raters.rating import breakdowns, ratings
from raters.rating.rules import writing
from raters.rating.rules.polarity import FLAGS

WHO = (
    Column("study", "text", "Short name of the study."),
    Column("session", "id", "One rater in one study; as in ratings.csv."),
    Column("rater", "id", "Who rated; as in ratings.csv."),
    Column("simulated", "boolean", "Whether a program answered, not a person."),
    Column("batch", "number", "Number of the batch in its session; as in ratings.csv."),
    Column("position_in_batch", "number", "Place of the trial in its batch; as in ratings.csv."),
)
EVIDENCE = (
    *WHO,
    Column("hidden_seconds", "number", "How long the page was hidden while the trial was shown.", "s"),
    Column("interrupted", "number", "Pauses, and times that the page was hidden while a clip played."),
    Column("seeks", "number", "Jumps within a clip, which were taken back."),
    Column("speeds", "number", "Times that a clip was to run at another speed, which was set right."),
    Column("keys", "number", "Keys pressed in the form."),
    Column("compositions", "number", "Compositions by an input method, as for Chinese."),
    Column("chars_composed", "number", "Characters that these gave."),
    Column("insertions", "number", "Times that something came into a field."),
    Column("deletions", "number", "Times that something was deleted."),
    Column("pastes", "number", "Times that something was pasted that was not cut or copied in the form."),
    Column("chars_pasted", "number", "Characters that these brought."),
    Column("drops", "number", "Times that something was dropped there that was not dragged in the form."),
    Column("chars_dropped", "number", "Characters that these brought."),
    Column("chars_moved", "number", "Characters pasted or dropped that had been cut, copied or dragged in the form."),
    Column("largest_insert", "number", "Characters of the largest piece that came in at once."),
    Column("first_key_s", "number", "Whole seconds from trial shown to the first key or text.", "s"),
    Column("away_s", "number", "Whole seconds with the page hidden or another window in front.", "s"),
    Column("blurs", "number", "Times that the window was left."),
    Column("after_away", "number", "Characters that came in at once, first after at least five seconds away."),
    Column("touch", "boolean", "Whether the device is chiefly used by touch."),
    Column(
        "flags",
        "code",
        "What was flagged once the reason came into the experts' queue; joined by |.",
        levels="|".join(FLAGS),
    ),
    Column("flag_rules", "number", "Version of the rules that flagged it."),
)
SKIPPED = (
    *WHO,
    Column("clip", "text", "File of the clip that could not be loaded or played, as in the manifest."),
    Column("sent_whole", "boolean", "Whether the server had sent all of it."),
    Column("skipped_at", "time", "When the rater skipped it.", "UTC"),
)


HEARD = frozenset({"interrupted", "seeks", "speeds"})
NOT_HEARD: dict[str, int | None] = dict.fromkeys(HEARD)
NOT_WRITTEN = writing.columns(None)


def evidence(source: Source) -> Iterator[Row]:
    """Yield one row per answer, by session and order in it."""
    who = lru_cache(maxsize=1)(source.who)
    for report in ratings.browser_reports(source.study.pk, source.simulated.flag):
        about = report.evidence if isinstance(report.evidence, dict) else {}
        hidden = about.get("hidden_ms")
        counts = writing.of(about) if "inputs" in about else None
        yield {
            **who(report.session, report.rater),
            "simulated": report.is_simulated,
            "batch": report.batch,
            "position_in_batch": report.position,
            "hidden_seconds": hidden / 1000 if _is_count(hidden) else None,
            **_heard(about.get("clips")),
            **(writing.columns(counts) if counts else NOT_WRITTEN),
            "flags": None if report.flags is None else "|".join(report.flags),
            "flag_rules": report.rules,
        }


def _heard(clips: object) -> dict[str, int | None]:
    """Sum the reports over a trial's clips; None where the browser reported nothing."""
    reports = [each for each in clips.values() if isinstance(each, dict)] if isinstance(clips, dict) else []
    if not reports or (len(reports) == 1 and HEARD.isdisjoint(reports[0])):
        return NOT_HEARD
    counts = {name: [each[name] for each in reports if _is_count(each.get(name))] for name in HEARD}
    return {name: sum(some) if some else None for name, some in counts.items()}


def _is_count(value: object) -> TypeGuard[int]:
    # Not isinstance: it would accept true and false.
    return type(value) is int and value >= 0


def skipped(source: Source) -> Iterator[Row]:
    """Yield one row per skipped trial, in the order opened."""
    for row in breakdowns.skipped(source.study.pk, source.simulated.flag):
        yield {
            **row,
            **source.who(row["session_pk"], row["rater_pk"]),
            "simulated": row["is_simulated"],
            "clip": row["file"],
            "skipped_at": row["at"],
        }
