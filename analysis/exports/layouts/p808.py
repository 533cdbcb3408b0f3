"""The P.808 toolkit: votes by worker, by clip and by condition, as its result parser writes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import sqrt
from statistics import fmean, stdev

from analysis.exports.columns import Column, ExportTable, Row
from analysis.exports.layouts.scored import Scored
from analysis.exports.source import Source

# As in the toolkit: treats ratings as independent, so the interval is too narrow, and is labelled so.
NORMAL = 1.96
STATISTICS = (
    Column("n", "number", "Votes."),
    Column("MOS", "number", "Mean of the votes."),
    Column("std", "number", "Their standard deviation; empty below two votes."),
    Column("95%CI", "number", "Half the toolkit's 95 % interval, which takes votes for independent: too narrow."),
)
WORKERS = (
    Column("HITId", "id", "The session; a pseudonym, as in ratings.csv."),
    Column("workerid", "id", "Who rated; a pseudonym, as in ratings.csv."),
    Column("file", "text", "File of the clip, as in the manifest."),
    Column("vote", "number", "The score."),
    Column("condition", "text", "Speech synthesiser, or human."),
)


def tables(source: Source) -> list[ExportTable]:
    """Return the toolkit's files; its conditions are our systems."""
    scored = Scored(source)

    def workers() -> Iterator[Row]:
        for row in scored.rows():
            yield {
                "HITId": row.session,
                "workerid": row.rater,
                "file": row.clip,
                "vote": row.score,
                "condition": row.system,
            }

    most = max((len(votes) for votes in scored.votes.values()), default=0)
    places = [f"vote_{number}" for number in range(1, most + 1)]

    def clips() -> Iterator[Row]:
        for file, votes in sorted(scored.votes.items()):
            listed = dict(zip(places, [*votes, *[None] * (most - len(votes))], strict=True))
            yield {
                "file_url": file,
                "short_file_name": file.rpartition("/")[2],
                "system": scored.clips[file].system,
                **statistics(votes),
                **listed,
            }

    def conditions() -> Iterator[Row]:
        by_system: defaultdict[str, list[float]] = defaultdict(list)
        for file, votes in scored.votes.items():
            by_system[scored.clips[file].system] += votes
        for system, votes in sorted(by_system.items()):
            yield {"condition_name": system, **statistics(votes)}

    by_clip = (
        Column("file_url", "text", "File of the clip, as in the manifest."),
        *STATISTICS,
        Column("short_file_name", "text", "The same without its folders."),
        Column("system", "text", "Speech synthesiser, or human: the condition's key."),
        *(Column(name, "number", "One vote; empty where a clip has fewer.") for name in places),
    )
    by_condition = (Column("condition_name", "text", "Speech synthesiser, or human."), *STATISTICS)
    return [
        ExportTable("votes_per_worker", WORKERS, workers, "votes_per_worker.csv"),
        ExportTable("votes_per_clip", by_clip, clips, "votes_per_clip.csv"),
        ExportTable("votes_per_cond", by_condition, conditions, "votes_per_cond.csv"),
    ]


def statistics(votes: list[float]) -> Row:
    """Return the toolkit's statistics of votes."""
    spread = stdev(votes) if len(votes) > 1 else None
    half = None if spread is None else NORMAL * spread / sqrt(len(votes))
    return {"n": len(votes), "MOS": fmean(votes), "std": spread, "95%CI": half}
