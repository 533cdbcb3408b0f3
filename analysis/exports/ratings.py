"""ratings.csv: one row per rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from operator import add

from analysis.data.groups import HUMAN
from analysis.exports.columns import CLIP_GROUPS, Cell, Column, InColumns, Page
from analysis.exports.source import Source
from core.jobs import DONE
from raters.rating import ratings, scored

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("study_version", "number", "Version of the study that this rater met."),
    Column("preset", "id", "Protocol that the study was made from."),
    Column("session", "id", "One rater in one study; a pseudonym."),
    Column("rater", "id", "Who rated; a pseudonym that holds within this study alone."),
    Column("simulated", "boolean", "Whether a program answered, not a person."),
    Column("batch", "number", "Number of the batch in its session, from 1."),
    Column("trial_index", "number", "Place of the trial in its session, from 1."),
    Column("position_in_batch", "number", "Place of the trial in its batch, from 1."),
    Column("clip", "text", "File of the clip, as in the manifest."),
    Column("system", "text", "Speech synthesiser, or human; a hidden reference is human."),
    Column("voice", "text", "Voice of the system."),
    Column("role", "code", "What the trial was there for.", levels="test|trap_flawed|trap_human"),
    Column("text_id", "text", "Name of the text that is spoken."),
    *CLIP_GROUPS,
    Column("label", "code", "What was answered, in the task's own words, never translated."),
    Column("score", "number", "The answer as a number: on the scale of the task where the part is the scored one."),
    Column("justification", "text", "The written reason."),
    Column("plays", "number", "How often the clip was started, counted by the server."),
    Column("played_fraction", "number", "Share of the clip that was played, as the browser reported it."),
    Column("served_at", "time", "When the trial was shown.", "UTC"),
    Column("play_started_at", "time", "When the server heard of the first play.", "UTC"),
    Column("answered_at", "time", "When the answer was stored.", "UTC"),
    Column(
        "response_seconds",
        "number",
        "From trial shown to answer; of a screen of several clips, divided by their number.",
        "s",
    ),
    Column(
        "decision_seconds",
        "number",
        "From the end of the clip's first full play to the answer, by the browser's clock up to what the server's "
        "allows; of a screen of several clips, divided by their number.",
        "s",
    ),
    Column("late", "boolean", "Whether the answer came after the batch had expired."),
    Column("surplus", "boolean", "Whether the item had all its ratings already."),
    Column("batch_valid", "boolean", "Whether the traps were passed; empty until decided."),
    Column("usable", "boolean", "Whether the rating counts."),
    Column("exclusion_reasons", "code", "Rules by which it doesn't count, joined by |."),
    Column("app_version", "id", "Version of the software that wrote this file."),
    Column("part", "code", "Part of the answer that this row holds."),
    Column("quick", "boolean", "Whether the decision took less than the protocol's quick_seconds; kept all the same."),
    Column("place", "number", "Place of the clip in its trial as shown, from 0; empty when the row is about no clip."),
    Column("question", "id", "Name of the question that was answered, as in questions.csv."),
    Column("golden", "boolean", "Whether that is a golden question, which is no part of the score."),
    Column("note", "text", "What the rater wrote with this part of the answer."),
    Column(
        "clip_role",
        "code",
        "What the clip itself is there for.",
        levels="test|trap_flawed|trap_human|reference|anchor",
    ),
    Column("prompt_file", "text", "Recording that the system was given to copy the voice from, as in the manifest."),
    Column("seen", "code", "Whether the system was trained on the benchmark, as in the manifest.", levels="yes|no"),
    Column("against", "text", "Where two clips are compared: the system of the other one, or human."),
    Column("against_clip", "text", "Where two clips are compared: file of the other one, as in the manifest."),
    Column("repeat", "number", "0, or 1 if the trial repeats an earlier one of its batch: such ratings never count."),
    Column("pass", "number", "Number of the separate pass in which the clip was rated, from 1; 0 without such passes."),
)

NAMES = tuple(column.name for column in COLUMNS)
# Left out as soon as a rater asks for deletion, although the request can be undone for a day.
SAID = ("label", "score", "justification", "note")


def rows(source: Source) -> InColumns:
    """Return the rows in the order they were stored."""
    return InColumns(pages(source))


def pages(source: Source) -> Iterator[Page]:
    """Yield pages of rows by column, in the order they were stored."""
    gone, kind = source.taken_back, source.definition.kind
    part, is_pair = kind.score.part, kind.shows == "pair"
    names = source.names
    reasons = {subject: verdicts for subject, verdicts in source.reasons.items() if verdicts}
    version = cache(lambda key: (source.number(key), source.preset(key), source.quick_seconds(key)))
    for some in ratings.table(source.study.pk, source.simulated.flag, gone=gone, part=part, **source.page):
        number, preset, quick_seconds = zip(*map(version, some.version), strict=True)
        reports = [*map(scored.report, some.evidence, some.key)]
        since = [scored.reported(report, "since_end") for report in reports]
        took = [*map(scored.decided, some.play_began_at, some.answered_at, some.seconds, since)]
        response = map(scored.between, some.served_at, some.answered_at)
        none = [None] * len(took)
        page: dict[str, Sequence[Cell]] = {
            "study": [source.study.slug] * len(took),
            "study_version": number,
            "preset": preset,
            "session": [*map(names.session, some.session)],
            "rater": [*map(names.rater, some.rater)],
            "simulated": some.is_simulated,
            "batch": some.batch_number,
            "trial_index": [*map(add, some.before, some.position)],
            "position_in_batch": some.position,
            "clip": some.file,
            "system": _systems(some.clip_role, some.system),
            "voice": some.voice,
            "role": some.role,
            "text_id": some.text_id,
            "dimension": some.dimension,
            "language": some.language,
            "box": some.box,
            "domain": some.domain,
            "benchmark": some.benchmark,
            "condition": some.condition,
            "take": some.take,
            "label": some.code,
            "score": some.value,
            "justification": some.justification,
            "plays": some.plays,
            "played_fraction": [scored.reported(report, "played") for report in reports],
            "served_at": some.served_at,
            "play_started_at": some.play_began_at,
            "answered_at": some.answered_at,
            "response_seconds": [*map(_share, response, some.clips)],
            "decision_seconds": [*map(_share, took, some.clips)],
            "late": some.late,
            "surplus": some.surplus,
            "batch_valid": some.batch_valid,
            "usable": [*map(bool, some.usable)],
            "exclusion_reasons": exclusions(some, reasons),
            "app_version": [source.app_version] * len(took),
            "part": some.part,
            "quick": [None if each is None else each < quick for each, quick in zip(took, quick_seconds, strict=True)],
            "place": some.place,
            "question": some.question_name,
            "golden": [*map(bool, some.golden)],
            "note": some.note,
            "clip_role": some.clip_role,
            "prompt_file": some.prompt_file,
            "seen": some.seen,
            "against": _systems(some.other_role, some.other_system) if is_pair else none,
            "against_clip": some.other_file if is_pair else none,
            "repeat": some.repeat,
            "pass": some.pass_number,
        }
        if gone:
            is_gone = [session in gone for session in some.session]
            for name in SAID:
                page[name] = [None if lost else cell for lost, cell in zip(is_gone, page[name], strict=True)]
        yield page


def _systems(roles: Sequence[str | None], systems: Sequence[str | None]) -> list[str | None]:
    return [HUMAN if role == "reference" else system for role, system in zip(roles, systems, strict=True)]


def _share(seconds: float | None, clips: int) -> float | None:
    return None if seconds is None else seconds / clips


def exclusions(some: ratings.RatingPage, reasons: ratings.Reasons) -> list[str]:
    """Return the rules that exclude each rating, in alphabetical order, joined by |."""
    rules_on = [[verdicts.get(key, ()) for key in getattr(some, subject)] for subject, verdicts in reasons.items()]
    open_ = [() if state == DONE else ("batch_incomplete",) for state in some.batch_state]
    again = [("repeat",) if repeat else () for repeat in some.repeat]
    return ["|".join(sorted({*chain(*rules)})) for rules in zip(open_, again, *rules_on, strict=True)]
