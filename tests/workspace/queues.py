"""Full queues of experts in bulk, some of them decided: consistent rows, made inside PostgreSQL."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction

from accounts.models import User
from analysis.metrics import sets
from core import clock, jobs
from raters.models import QueueFill
from studies.decisions import experts
from studies.models import Study

SETTINGS = {"review": {"mode": "all", "double_share": 0.1}, "coding": {"mode": "all", "double_share": 0.1}}
ITEM = "study_id, simulated, draw, double_draw, state, key"
REASONS = """%(study)s, false, random(), random(), 'open', ''
    FROM raters_trial t JOIN studies_item i ON i.id = t.item_id WHERE i.study_id = %(study)s AND i.role = 'test'
    AND t.usable"""
FILLED = (
    f"""INSERT INTO raters_reviewitem (answer_id, flags, flagged, rules, digest, compared, decision, {ITEM})
    SELECT t.id, '[]', t.id %% 10 = 0, 1, md5(t.id::text), true, '', {REASONS}""",
    f"INSERT INTO raters_codingitem (answer_id, {ITEM}) SELECT t.id, {REASONS}",
)
# Of ten items in their order, one waits for a second expert, in turn for either of the two, and one has had both.
DECIDED = """CREATE TEMP TABLE decided ON COMMIT DROP AS SELECT {key} AS item, row_number() OVER (ORDER BY draw) AS n
    FROM {table}item WHERE study_id = %(study)s AND state = 'open' ORDER BY draw LIMIT %(decided)s"""
MOVED = """UPDATE {table}item q SET state = CASE WHEN n %% 10 = 0 THEN 'half' ELSE 'done' END {also}
    FROM decided WHERE q.{key} = item"""
MADE = """INSERT INTO {table} (study_id, {item}, expert_id, purpose, doubled, note, key, shown, at {also})
    SELECT %(study)s, item, CASE WHEN (n %% 20 < 10) = (p = 'first') THEN %(eva)s ELSE %(otto)s END, p, n %% 10 < 2, '',
    left(md5(random()::text || n), 22), '{{}}', now() - interval '20 days' + n * interval '15 seconds' {values}
    FROM decided CROSS JOIN unnest(ARRAY['first', 'double']) p WHERE p = 'first' OR n %% 10 = 1"""
OF_QUEUES: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
    (
        {"table": "raters_review", "key": "answer_id", "item": "answer_id"},
        {"moved": ", decision = CASE WHEN n %% 10 = 0 THEN '' ELSE 'consistent' END",
         "also": ", decision", "values": ", 'consistent'"},
    ),
    ({"table": "raters_coding", "key": "id", "item": "item_id"}, {"moved": "", "also": "", "values": ""}),
)  # fmt: skip
MARKED = """INSERT INTO raters_codingmark (coding_id, code, name, dimension, polarity)
    SELECT id, 'pauses', 'Pauses', 'Prosodic appropriateness', 'machine' FROM raters_coding
    WHERE study_id = %(study)s"""


def add_queues(study: Study, *, decided: int) -> User:
    """Fill both queues of a study, the first so many items decided; return one of the two experts, its owner."""
    study.draft = {**study.draft, **{name: {**study.draft[name], **some} for name, some in SETTINGS.items()}}
    eva, otto = (User.objects.create_user(name, password="pw") for name in ("eva", "otto"))
    study.owner, now = eva, clock.now()
    study.save(update_fields=["draft", "owner"])
    wanted = experts.queues([study.pk])[study.pk]
    QueueFill.objects.create(study=study, state=jobs.DONE, queued_at=now, ended_at=now, wanted=wanted)
    values: dict[str, Any] = {"study": study.pk, "decided": decided, "eva": eva.pk, "otto": otto.pk}
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in FILLED:
            cursor.execute(statement % values)
        for names, parts in OF_QUEUES:
            cursor.execute(DECIDED.format(**names) % values)
            cursor.execute(MOVED.format(**names, also=parts["moved"]) % values)
            cursor.execute(MADE.format(**names, **parts) % values)
            cursor.execute("DROP TABLE decided")
        cursor.execute(MARKED % values)
    return eva


FILLS = (
    """INSERT INTO raters_submission (platform_id, ext_session, session_id, state, code, same_person, unread, seen_at,
      completed_at) SELECT (SELECT max(id) FROM raters_platformstudy), ext_session, id, 'approved', '', true, false,
      now(), ended_at FROM raters_session WHERE study_id = %(study)s AND NOT simulated""",
    """INSERT INTO analysis_clipmetric (metric_set_id, clip_id, value, failure, detail)
      SELECT (SELECT max(id) FROM analysis_metricset), id, (id %% 100) / 100.0, '', '{}' FROM studies_clip
      WHERE study_id = %(study)s""",
    """INSERT INTO raters_verdict (batch_id, rule, rule_version, usable, at, detail) SELECT b.id, 'traps', 1, true,
      b.ended_at, '{}' FROM raters_batch b JOIN raters_session s ON s.id = b.session_id WHERE s.study_id = %(study)s""",
)


def fill(study: Study) -> None:
    """Add what grows with a study beside its answers: submissions of a platform, a metric's values, verdicts."""
    with connection.cursor() as cursor:
        for statement in FILLS:
            cursor.execute(statement % {"study": study.pk})
    sets.recount(study.pk)
