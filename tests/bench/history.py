"""Answered sessions in bulk: consistent rows, made inside PostgreSQL."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction

from studies.models import Study

PLACES = """
CREATE TEMP TABLE place ON COMMIT DROP AS
SELECT i.role, row_number() OVER (PARTITION BY i.role ORDER BY i.id) - 1 AS n, i.id AS item, i.text_id AS text,
       ic.clip_id AS clip, CASE WHEN i.role = 'test' THEN p.id END AS pool
FROM studies_item i JOIN studies_itemclip ic ON ic.item_id = i.id JOIN studies_pool p ON p.item_id = i.id
JOIN studies_cell c ON c.id = p.cell_id AND NOT c.simulated WHERE i.study_id = %(study)s
"""
# Ten trials a batch: seven tests, one flawed and two human traps, each taken in turn, so that nobody meets one twice.
SERVED = """
CREATE TEMP TABLE served ON COMMIT DROP AS
SELECT s, b, j, s * %(batches)s + b AS batch, CASE WHEN j < 7 THEN 'test' WHEN j = 7 THEN 'trap_flawed'
       ELSE 'trap_human' END AS role,
       CASE WHEN j < 7 THEN (s * %(batches)s + b) * 7 + j WHEN j = 7 THEN s * %(batches)s + b
       ELSE (s * %(batches)s + b) * 2 + j - 8 END AS turn,
       (j + s + b) %% 10 + 1 AS position, s * 10 * %(batches)s + b * 10 + j AS trial,
       now() - interval '30 days' + s * interval '60 seconds' + (b * 10 + j) * interval '20 seconds' AS at
FROM generate_series(0, %(sessions)s - 1) s, generate_series(0, %(batches)s - 1) b, generate_series(0, 9) j
"""
TRIALS = """
CREATE TEMP TABLE rated ON COMMIT DROP AS
SELECT v.*, p.item, p.text, p.clip, p.pool,
  (ARRAY['human', 'unclear', 'machine'])[1 + (hashint8(v.trial) & 1023) %% 3] AS label FROM served v
JOIN (SELECT role, count(*) AS size FROM place GROUP BY role) k ON k.role = v.role
JOIN place p ON p.role = v.role AND p.n = (v.turn + %(shift)s) %% k.size
"""
ROWS = (
    """INSERT INTO raters_rater (id, created_at)
    SELECT %(rater)s + s, now() - interval '30 days' FROM generate_series(0, %(sessions)s - 1) s""",
    """INSERT INTO raters_session (id, rater_id, study_id, version_id, simulated, preview, source, ext_study,
      ext_session, proof, step, outcome, payable, tab, arrived_at, consented_at, consent_sha256, started_at, ended_at)
    SELECT %(session)s + s, %(rater)s + s, %(study)s, %(version)s, false, false, 'bench', 'bench',
      'then-' || %(session)s + s, 'unsigned', 'ended', %(outcome)s, %(outcome)s = 'complete', '',
      min(at), min(at), '', min(at), max(at) FROM rated GROUP BY s""",
    """INSERT INTO raters_batch (id, state, queued_at, lease_until, ended_at, tries, done, total, error, session_id,
      number, size, opened_at, expired_at, valid, trap_counts)
    SELECT %(batch)s + batch, 'done', max(at), NULL, max(at), 1, 0, 0, '', %(session)s + s, b + 1, 10, min(at), NULL,
      true, '{}' FROM rated GROUP BY s, b, batch""",
    """INSERT INTO raters_trial (id, batch_id, session_id, rater_id, item_id, pool_id, text_id, position, token, shown,
      served_at, answered_at, holds, usable, surplus, late)
    SELECT %(trial)s + trial, %(batch)s + batch, %(session)s + s, %(rater)s + s, item, pool, text, position,
      left(md5('trial ' || %(trial)s + trial), 22), '{"public": {}, "private": {}}', at, at + interval '15 seconds',
      pool IS NOT NULL, true, false, false FROM rated ORDER BY trial""",
    """INSERT INTO raters_trialclip (trial_id, place, clip_id, key, sent, fetched_at, play_began_at, plays)
    SELECT %(trial)s + trial, 0, clip, left(md5('clip ' || %(trial)s + trial), 22), '[]', at, at, 1
    FROM rated ORDER BY trial""",
    """INSERT INTO raters_answer (trial_id, idempotency, body, reason, evidence, at)
    SELECT %(trial)s + trial, gen_random_uuid(),
      jsonb_build_object('label', label, 'reason', 'The pause before the last word.'),
      'The pause before the last word.', '{"hidden_ms": 0}', at + interval '15 seconds' FROM rated ORDER BY trial""",
    """INSERT INTO raters_rating (study_id, trial_id, clip_id, place, part, code, value, note)
    SELECT %(study)s, %(trial)s + trial, clip, 0, 'label', label,
      CASE label WHEN 'human' THEN 1.0 WHEN 'unclear' THEN 0.5 ELSE 0.0 END, '' FROM rated ORDER BY trial""",
    """UPDATE studies_pool p SET taken = taken + k.many
    FROM (SELECT pool, count(*) AS many FROM rated WHERE pool IS NOT NULL GROUP BY pool) k WHERE p.id = k.pool""",
)
COUNTED = ("rater", "session", "batch", "trial")


def add_history(study: Study, *, sessions: int, batches: int, outcome: str) -> list[int]:
    """Add ended sessions of new raters whose batches are all answered and valid, and return those raters' keys.

    Needs a superuser: foreign keys are not looked up for each row, as the rows are right by construction.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        values: dict[str, Any] = {"study": study.pk, "version": study.versions.get().pk, "outcome": outcome}
        values |= {"sessions": sessions, "batches": batches}
        for name in COUNTED:
            cursor.execute(f"SELECT coalesce(max(id), 0) + 1 FROM raters_{name}")
            values[name] = cursor.fetchone()[0]
        # Later histories go on where the last one stopped.
        values["shift"] = values["batch"] * 7
        for statement in (PLACES, SERVED, TRIALS, "ANALYZE rated", *ROWS):
            run(cursor, statement, values)
        for name in COUNTED:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('raters_{name}', 'id'), (SELECT max(id) FROM raters_{name}))"
            )
        # For callers whose transaction goes on.
        cursor.execute("DROP TABLE place, served, rated")
        cursor.execute("SET LOCAL session_replication_role = origin")
    return list(range(values["rater"], values["rater"] + sessions))


def run(cursor: Any, statement: str, values: dict[str, Any]) -> None:
    """Put the numbers in as text: server-side binding takes no parameters in CREATE TABLE."""
    quoted = {key: f"'{value}'" if isinstance(value, str) else str(value) for key, value in values.items()}
    cursor.execute(statement % quoted)
