"""Results kept so that pages are quick: snapshots of the figures, and exports."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.jobs import Job


class Simulated(models.TextChoices):
    """Which sessions a figure or an export reads."""

    WITHOUT = "without", _("without simulated raters")
    WITH = "with", _("with simulated raters")
    ONLY = "only", _("simulated raters only")

    @property
    def flag(self) -> bool | None:
        """Return what selectors ask for: real sessions (False), simulated ones (True), or both (None)."""
        return {"without": False, "with": None, "only": True}[self.value]


class Snapshot(Job):
    """The figures of a study's page, computed by a worker at most every ten seconds."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="snapshots")
    simulated = models.CharField(max_length=10, choices=Simulated)
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(null=True)

    task_name = "analysis.refresh_snapshot"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "simulated"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.study} · {self.simulated}"


class Format(models.TextChoices):
    """How the tables of an export are written."""

    CSV = "csv", _("CSV and JSON lines")
    PARQUET = "parquet", _("Parquet")


class Layout(models.TextChoices):
    """Whose column names an export has."""

    OWN = "own", _("Earshot’s own tables")
    VOICEMOS = "voicemos", _("BVCC / VoiceMOS Challenge")
    SOMOS = "somos", _("SOMOS")
    WEBMUSHRA = "webmushra", _("webMUSHRA")
    P808 = "p808", _("P.808 toolkit")
    AUDIOFOLDER = "audiofolder", _("Hugging Face AudioFolder, with the clips")


class Profile(models.TextChoices):
    """Whom an export is for."""

    ANALYSIS = "analysis", _("for analysis: all that was collected, people under pseudonyms")
    OPEN = "open", _("open: to be published, without free text, under pseudonyms of its own")
    PAYMENT = "payment", _("for payment: the crowd platform’s ids and how each session ended, nothing else")


class Export(Job):
    """A ZIP of tables on its way to a download."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="exports")
    simulated = models.CharField(max_length=10, choices=Simulated, default=Simulated.WITHOUT)
    format = models.CharField(max_length=10, choices=Format, default=Format.CSV)
    layout = models.CharField(max_length=20, choices=Layout, default=Layout.OWN)
    profile = models.CharField(max_length=10, choices=Profile, default=Profile.ANALYSIS)
    # Written while scores were hidden from whoever asked: it has none.
    is_blind = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField()
    file = models.CharField(max_length=200, blank=True, default="")
    bytes = models.PositiveBigIntegerField(default=0)

    task_name = "analysis.build_export"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · export {self.pk}"


class Analysis(Job):
    """All figures of a study, computed once from the answers of that moment; made again, they come out the same."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="analyses")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # {"simulated": "without", "versions": [1], "seed": 1, "draws": 1000, "sections": ["scores", …]}
    settings = models.JSONField()
    # Of the ratings that went in: another one later means that answers or decisions changed.
    fingerprint = models.CharField(max_length=64, blank=True, default="")
    code_version = models.CharField(max_length=40, blank=True, default="")
    # As analysis.report.findings.schema says.
    results = models.JSONField(default=dict)
    # The section that is being worked on.
    section = models.CharField(max_length=40, blank=True, default="")
    # {"scores.svg": where it is stored, …}
    files = models.JSONField(default=dict)
    # The run whose settings were taken over to see whether the figures come out the same.
    repeats = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="repeated")
    erased_raters = models.PositiveIntegerField(default=0)

    task_name = "analysis.run_analysis"

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"{self.study} · analysis {self.pk}"


class MetricSet(models.Model):
    """What one machine said of a study's clips: DNSMOS, a judge, a word error rate, … one number a clip."""

    class Direction(models.TextChoices):
        HIGHER = "higher", _("higher is better")
        LOWER = "lower", _("lower is better")

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="metric_sets")
    name = models.CharField(max_length=100)
    # Who made it: "import", "dnsmos", "judge", or what an importer says.
    source = models.CharField(max_length=200, blank=True, default="")
    direction = models.CharField(max_length=10, choices=Direction, default=Direction.HIGHER)
    # Only where both ends are given is a value mapped to 0…1: (value − low) / (high − low).
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    # What all values have in common: versions, hashes, and under "training" what the machine had seen.
    provenance = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # False while a job is still filling it.
    active = models.BooleanField(default=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class ClipMetric(models.Model):
    """One machine's value for one clip, or why it has none."""

    metric_set = models.ForeignKey(MetricSet, models.CASCADE, related_name="values")
    clip = models.ForeignKey("studies.Clip", models.CASCADE, related_name="+")
    value = models.FloatField(null=True)
    failure = models.TextField(blank=True, default="")
    detail = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["metric_set", "clip"], name="clip_metric_once")]

    def __str__(self) -> str:
        return f"{self.metric_set}: {self.value if self.value is not None else self.failure}"


class DnsmosRun(Job):
    """A study's clips on their way through DNSMOS; clips that have all four values are not scored again."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="dnsmos_runs")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # {"ovrl": key of its metric set, …}
    sets = models.JSONField(default=dict)

    task_name = "analysis.score_dnsmos"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · DNSMOS {self.pk}"


class Comparison(Job):
    """One machine, or two, held against a study's raters."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="comparisons")
    first = models.ForeignKey(MetricSet, models.CASCADE, related_name="+")
    second = models.ForeignKey(MetricSet, models.CASCADE, null=True, blank=True, related_name="+")
    simulated = models.CharField(max_length=10, choices=Simulated)
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(null=True)

    task_name = "analysis.compare_machines"

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second", "simulated"], name="comparison_once"),
            models.UniqueConstraint(
                fields=["first", "simulated"], condition=models.Q(second=None), name="comparison_alone_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} · {self.second or 'raters'} · {self.simulated}"


class ScoreOpening(models.Model):
    """Somebody opened hidden scores before the study was closed, and said why; `by` is empty for the shell."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="score_openings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.study} · opened by {self.by or 'the shell'}"


class ScoreSight(models.Model):
    """Somebody looked at scores that were hidden from others, on which page, and when."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="score_sights")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    what = models.CharField(max_length=100)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["study", "by", "what", "at"], name="score_sight")]

    def __str__(self) -> str:
        return f"{self.what} by {self.by or 'the shell'}"


class Look(Job):
    """A look at the contrasts that was named before the launch: computed and recorded once, never changed."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="looks")
    number = models.PositiveSmallIntegerField()
    # As the study's settings name it.
    planned = models.CharField(max_length=40)
    due_at = models.DateTimeField()
    # Of the ratings wanted, at the moment at which the answers were read: what the error is spent by.
    ratings = models.PositiveIntegerField(default=0)
    fraction = models.FloatField(default=0.0)
    # One entry a contrast, as analysis.report.stopping writes it.
    found = models.JSONField(default=list)

    task_name = "analysis.take_look"

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="look_once")]

    def __str__(self) -> str:
        return f"{self.study} · look {self.number}"


class PowerPlan(Job):
    """How many raters a study needs, by simulated studies; what was asked and what came out."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="power_plans")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    inputs = models.JSONField()
    results = models.JSONField(default=dict)
    app_version = models.CharField(max_length=40, blank=True, default="")

    task_name = "analysis.plan_power"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · plan {self.pk}"
