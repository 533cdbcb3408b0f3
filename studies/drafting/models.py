"""Drafting: versions of prompts, runs, every request with its answer, and drafted questions with people's decisions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import Job
from studies.clips.models import Question, Text
from studies.corpus.models import CorpusText
from studies.definition.models import Study


class DraftPrompt(models.Model):
    """One version of a prompt of a study; never changed. The built-in one is stored when it is first used."""

    class Step(models.TextChoices):
        GENERATE = "generate", _("write texts")
        COLLOQUIAL = "colloquial", _("make colloquial")
        QUESTIONS = "questions", _("write questions about a passage")
        GOLDEN = "golden", _("write golden questions")
        BLIND = "blind", _("answer without the passage")

    study = models.ForeignKey(Study, models.CASCADE, related_name="draft_prompts")
    step = models.CharField(max_length=10, choices=Step)
    # Of the dimension, for `generate`.
    kind = models.CharField(max_length=20, blank=True, default="")
    language = models.CharField(max_length=2)
    number = models.PositiveIntegerField()
    body = models.TextField()
    # Empty: built in.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "step", "kind", "language", "number"], name="draft_prompt_once")
        ]
        ordering = ["study", "step", "kind", "language", "-number"]

    def __str__(self) -> str:
        return f"{self.get_step_display()}, version {self.number}"


class DraftRun(Job):
    """A job that drafts texts, questions about passages, or golden questions; it can be stopped and continued."""

    class Kind(models.TextChoices):
        TEXTS = "texts", _("Texts")
        QUESTIONS = "questions", _("Questions about passages")
        GOLDEN = "golden", _("Golden questions")

    class Ending(models.TextChoices):
        STOPPED = "stopped", _("stopped")
        BUDGET = "budget", _("budget used up")
        SHORT = "short", _("the model wrote fewer")

    study = models.ForeignKey(Study, models.CASCADE, related_name="draft_runs")
    kind = models.CharField(max_length=10, choices=Kind)
    # What was asked for: `plans.TextPlan`, `plans.QuestionPlan`.
    plan = models.JSONField()
    # How many people decide on each question, independently.
    people = models.PositiveSmallIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    budget_tokens = models.PositiveIntegerField()
    budget_calls = models.PositiveIntegerField()
    tokens = models.PositiveIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    # How often a worker gave it back to let other work have its turn; these are no failed tries.
    pauses = models.PositiveIntegerField(default=0)
    stop_asked_at = models.DateTimeField(null=True, blank=True)
    # Why it ended before it had all; empty when it has.
    ending = models.CharField(max_length=10, choices=Ending, blank=True, default="")

    task_name = "studies.draft"
    # `working.work` does, and doesn't count pauses.
    gives_up = False

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.study}"


class Draft(models.Model):
    """One request to a model, and what came of it. A run does each unit of work once, however often it is continued."""

    run = models.ForeignKey(DraftRun, models.CASCADE, related_name="drafts")
    # "generate/2", "colloquial/2.7", "questions/31", "blind/412.3": what of the run it does.
    unit = models.CharField(max_length=60)
    step = models.CharField(max_length=10, choices=DraftPrompt.Step)
    prompt = models.ForeignKey(DraftPrompt, models.RESTRICT, related_name="+")
    passage = models.ForeignKey(Text, models.SET_NULL, null=True, related_name="+")
    # The text that came of it.
    text = models.ForeignKey(CorpusText, models.SET_NULL, null=True, related_name="+")
    model = models.CharField(max_length=200)
    parameters = models.JSONField()
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    # Whether the endpoint reported no tokens.
    is_estimated = models.BooleanField(default=False, db_default=False)
    calls = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    # The model's own words, limited in size; data for people, never followed.
    answer = models.TextField(blank=True, default="")
    # The texts that `generate` yielded: [{"text": …}]; what was refused of an answer: [{"reason": …, "text": …}].
    items = models.JSONField(default=list)
    refused = models.JSONField(default=list)
    error = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "unit"], name="draft_unit_once")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.unit


class DraftQuestion(models.Model):
    """A drafted question, which becomes a question of the study once people accept it."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DISPUTED = "disputed", _("disputed")
        ACCEPTED = "accepted", _("accepted")
        REJECTED = "rejected", _("rejected")

    run = models.ForeignKey(DraftRun, models.CASCADE, related_name="questions")
    draft = models.ForeignKey(Draft, models.CASCADE, related_name="questions")
    # Null for a golden question, whose run says so.
    text = models.ForeignKey(Text, models.CASCADE, null=True, related_name="+")
    prompt = models.TextField()
    # As in `Question`.
    options = models.JSONField()
    # As the model wrote it, where a person edited it: {"prompt": …, "options": …}.
    drafted = models.JSONField(null=True)
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revision = models.PositiveIntegerField(default=0)
    flags = models.JSONField(default=list)
    # How often the model chose the right option without the passage.
    guessed = models.PositiveSmallIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    question = models.OneToOneField(Question, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.prompt


class DraftDecision(models.Model):
    """One person's decision on a drafted question; taken back, not deleted."""

    question = models.ForeignKey(DraftQuestion, models.CASCADE, related_name="decisions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    accepts = models.BooleanField()
    # Whether it settles a disagreement of two others.
    settles = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question", "user"], condition=Q(revoked_at=None, settles=False), name="draft_decision_once"
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{'accepted' if self.accepts else 'rejected'} by {self.user}"
