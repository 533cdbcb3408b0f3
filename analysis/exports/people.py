"""raters.csv: sessions; batches.csv: the outcome of each batch; payment.csv: how each session ended."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.checks import NAMES
from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from core.jobs import DONE
from raters.payments import reconciling
from raters.rating import monitor, ratings

WHO = (
    Column("study", "text", "Short name of the study."),
    Column("study_version", "number", "Version of the study that this rater met."),
    Column("session", "id", "One rater in one study; a pseudonym."),
    Column("rater", "id", "Who rated; a pseudonym that holds within this study alone."),
    Column("simulated", "boolean", "Whether a program answered, not a person."),
)
COUNTS = (
    Column("answers", "number", "Trials answered."),
    Column("answers_usable", "number", "Trials whose answer counts, traps included."),
    Column("exclusion_reasons", "code", "Rules by which it doesn't count, joined by |."),
)
OUTCOMES = (
    "complete|declined|bad_device|screened_out|failed_comprehension|failed_attention|technical_failure|withdrawn|"
    "no_place"
)
STEPS = "consent|checks|instructions|practice|rating|questions|ended"
RATERS = (
    *WHO,
    Column("preview", "boolean", "Whether somebody only tried the study out; then it is marked simulated, too."),
    Column("source", "id", "Where the rater came from."),
    Column("proof", "code", "How far it is known who it was.", levels="unsigned|signed|invited|anonymous"),
    Column("step", "code", "How far the session is.", levels=STEPS),
    Column("outcome", "code", "How it ended; empty while under way.", levels=OUTCOMES),
    Column(
        "payable", "boolean", "Whether its pay is owed, whatever the answers are worth; empty: for a person to decide."
    ),
    Column("arrived_at", "time", "When the rater arrived.", "UTC"),
    Column("consented_at", "time", "When the rater agreed to take part.", "UTC"),
    Column("consent_sha256", "id", "Hash of the text that was agreed to."),
    Column("language", "code", "Language of the rater's pages; empty in sessions of an earlier release."),
    Column("checks_failed", "code", "Checks not passed, which marked it or ended it; joined by |.", levels=NAMES),
    Column("started_at", "time", "When the first batch was asked for.", "UTC"),
    Column("ended_at", "time", "When it was decided how it ended; questions about the rater follow.", "UTC"),
    *COUNTS,
)
BATCHES = (
    *WHO,
    Column("batch", "number", "Number of the batch in its session, from 1."),
    Column("size", "number", "Trials in the batch."),
    Column("state", "code", "Where it is.", levels="open|expired|closed|queued|running|done|failed"),
    Column("batch_valid", "boolean", "Whether the traps were passed; empty until decided."),
    Column("flawed_right", "number", "Flawed traps answered correctly."),
    Column("flawed", "number", "Flawed traps in the batch."),
    Column("human_right", "number", "Human traps answered correctly."),
    Column("humans", "number", "Human traps in the batch."),
    Column("opened_at", "time", "When it was opened.", "UTC"),
    Column("expired_at", "time", "When its rater had left it idle for too long.", "UTC"),
    Column("ended_at", "time", "When it was decided.", "UTC"),
    *COUNTS,
)
PAYMENT = (
    Column("study", "text", "Short name of the study."),
    Column("session", "id", "The session; a pseudonym, as in the export for analysis."),
    Column("source", "id", "Where the rater came from."),
    Column("external_person", "text", "The platform's id of the person; empty once it was deleted."),
    Column("external_study", "text", "The platform's id of the study."),
    Column("external_session", "text", "The platform's id of the session."),
    Column("step", "code", "How far the session is.", levels=STEPS),
    Column("outcome", "code", "How it ended; empty while under way."),
    Column("payable", "boolean", "Whether it is owed its pay; empty: a person decides."),
    Column("arrived_at", "time", "When the rater arrived.", "UTC"),
    Column("ended_at", "time", "When it was decided how the session ended.", "UTC"),
)


def raters(source: Source) -> Iterator[Row]:
    """Yield one row per session, in order of arrival."""
    for row in monitor.sessions_table(source.study.pk, source.simulated.flag, **source.page):
        rules = ratings.rules_for(source.reasons, session=row["session_pk"], rater=row["rater_pk"])
        yield {
            **row,
            **source.who(row["session_pk"], row["rater_pk"]),
            "study_version": source.number(row["version_pk"]),
            "checks_failed": "|".join(source.failed_checks.get(row["session_pk"], ())),
            "exclusion_reasons": "|".join(rules),
        }


def batches(source: Source) -> Iterator[Row]:
    """Yield one row per batch, by session and number."""
    for row in monitor.batches_table(source.study.pk, source.simulated.flag):
        keys = {"batch": row["batch_pk"], "session": row["session_pk"], "rater": row["rater_pk"]}
        rules = ratings.rules_for(source.reasons, **keys)
        undecided = [] if row["state"] == DONE else ["batch_incomplete"]
        trap_counts = {} if row["session_pk"] in source.taken_back else row["trap_counts"]
        counts = {name: trap_counts.get(name) for name in ("flawed_right", "flawed", "human_right", "humans")}
        yield {
            **row,
            **source.who(row["session_pk"], row["rater_pk"]),
            **counts,
            "study_version": source.number(row["version_pk"]),
            "simulated": row["is_simulated"],
            "batch": row["number"],
            "batch_valid": row["valid"],
            "exclusion_reasons": "|".join(sorted([*rules, *undecided])),
        }


def payment(source: Source) -> Iterator[Row]:
    """Yield one row per real session, in order of arrival, with the platform's ids; simulated raters aren't paid."""
    for row in reconciling.table(source.study.pk):
        yield {
            **row,
            "study": source.study.slug,
            "session": source.names.session(row["session_pk"]),
            "external_person": row["person"],
            "external_study": row["ext_study"],
            "external_session": row["ext_session"],
        }
