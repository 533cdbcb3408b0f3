"""Audio: systems, texts, clips and import jobs."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.uploads.models import Upload
from core.jobs import Job
from studies.definition.models import Study


class System(models.Model):
    """A speech synthesiser, or `human`."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="system_once")]

    def __str__(self) -> str:
        return self.name


class Text(models.Model):
    """A text; several systems may speak the same text."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="texts")
    name = models.CharField(max_length=200)
    body = models.TextField(blank=True, default="")
    # `studies.hooks.SpokenContext`, shown to raters where the study shows context.
    context = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="text_once")]

    def __str__(self) -> str:
        return self.name


class Clip(models.Model):
    """One audio file, as uploaded and as delivered. Its bytes never change after launch."""

    class Role(models.TextChoices):
        TEST = "test", _("Test clip")
        TRAP_FLAWED = "trap_flawed", _("Trap: flawed clip")
        TRAP_HUMAN = "trap_human", _("Trap: human clip")
        TRAINING = "training", _("Training clip")
        REFERENCE = "reference", _("Reference")
        ANCHOR = "anchor", _("Anchor")
        # What a system was given to speak like; never rated.
        PROMPT = "prompt", _("Prompt, not rated")

    class Seen(models.TextChoices):
        YES = "yes", _("yes")
        NO = "no", _("no")

    study = models.ForeignKey(Study, models.CASCADE, related_name="clips")
    file = models.CharField(max_length=500)
    system = models.ForeignKey(System, models.PROTECT, related_name="clips")
    role = models.CharField(max_length=20, choices=Role)
    voice = models.CharField(max_length=100, blank=True, default="")
    text = models.ForeignKey(Text, models.PROTECT, null=True, related_name="clips")
    dimension = models.CharField(max_length=100, blank=True, default="")
    language = models.CharField(max_length=20, blank=True, default="")
    box = models.CharField(max_length=20, blank=True, default="")
    benchmark = models.CharField(max_length=100, blank=True, default="")
    condition = models.CharField(max_length=100, blank=True, default="")
    domain = models.CharField(max_length=100, blank=True, default="")
    take = models.CharField(max_length=20, blank=True, default="")
    prompt_file = models.CharField(
        max_length=500, blank=True, default="", db_default="", help_text=_("recording whose voice was copied")
    )
    seen = models.CharField(
        max_length=3,
        choices=Seen,
        blank=True,
        default="",
        db_default="",
        help_text=_("whether the system was trained on the benchmark"),
    )
    expected = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text=_("of a trap: the right answer, such as 2, or a range, such as 4.. or 2..3"),
    )
    # Other columns of the researcher's table that were kept: {name: value}; exported as `x_<name>`.
    extra = models.JSONField(null=True, blank=True)

    sha256 = models.CharField(max_length=64)
    original = models.CharField(max_length=200)
    rendition = models.CharField(max_length=200)
    rendition_bytes = models.PositiveBigIntegerField()
    duration = models.FloatField(help_text=_("seconds"))
    sample_rate = models.PositiveIntegerField(help_text=_("Hz, of the original"))
    channels = models.PositiveSmallIntegerField()
    loudness = models.FloatField(null=True, help_text=_("LUFS, of the original"))
    true_peak = models.FloatField(help_text=_("dBTP, of the original"))
    gain = models.FloatField(default=0.0, help_text=_("dB, applied to the rendition"))
    silence_before = models.FloatField(default=0.0, help_text=_("seconds"))
    silence_after = models.FloatField(default=0.0, help_text=_("seconds"))
    # Empty for clips imported before release 0.2.
    codec = models.CharField(max_length=20, blank=True, default="", db_default="", help_text=_("of the original"))
    bit_depth = models.PositiveSmallIntegerField(null=True, help_text=_("bits of a sample of the original"))
    clipped = models.FloatField(null=True, help_text=_("share of the original’s samples at full scale, in runs"))
    # Hash of the original's samples and rate, independent of the file format.
    content_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    # The repairs used for the rendition, as `Audio.recipe` names them.
    recipe = models.CharField(max_length=60, blank=True, default="", db_default="")
    trimmed_before = models.FloatField(default=0.0, db_default=0.0, help_text=_("seconds; negative: added"))
    trimmed_after = models.FloatField(default=0.0, db_default=0.0, help_text=_("seconds; negative: added"))
    added_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # From `outliers.Outlier.distance` at the newest audit; negative if the clip can't be compared.
    distance = models.FloatField(default=-1.0, db_default=-1.0, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "file"], name="file_once")]
        # An index for each order of the list of clips, and one for withdrawn clips.
        indexes = [
            models.Index(fields=["study", "-distance", "file"], name="clip_distance", condition=Q(withdrawn_at=None)),
            models.Index(fields=["study", "duration", "file"], name="clip_duration", condition=Q(withdrawn_at=None)),
            models.Index(fields=["study", "-added_at", "file"], name="clip_newest", condition=Q(withdrawn_at=None)),
            models.Index(fields=["study", "file"], name="clip_withdrawn", condition=Q(withdrawn_at__isnull=False)),
            # Texts withheld from those who may not change the study.
            models.Index(fields=["study", "text"], name="clip_black", condition=Q(box="black")),
        ]
        ordering = ["study", "file"]

    def __str__(self) -> str:
        return self.file

    @property
    def original_seconds(self) -> float:
        """Return the original's duration, before trimming or padding."""
        return self.duration + self.trimmed_before + self.trimmed_after


class ClipFigures(models.Model):
    """The stored `figures.Group`s of a study: counted again in each transaction that changes clips."""

    study = models.OneToOneField(Study, models.CASCADE, primary_key=True, related_name="+")
    groups = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"clips of {self.study}"


class Question(models.Model):
    """A question about a passage, or a golden question, which needs no passage."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="questions")
    # "p01/2" is the second question on the passage p01; "golden/3" has no text.
    name = models.CharField(max_length=220)
    text = models.ForeignKey(Text, models.PROTECT, null=True, related_name="questions")
    golden = models.BooleanField(default=False)
    prompt = models.TextField()
    # The right one first: [{"text": "Seven", "error": ""}, {"text": "Eleven", "error": "phonetic"}, …]
    options = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="question_once")]

    def __str__(self) -> str:
        return self.name


class ClipImport(Job):
    """An import of an archive or folder with a manifest: all clips or none. Without them, a conversion of all clips."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="imports")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField()
    manifest_name = models.CharField(max_length=255)
    archive_name = models.CharField(max_length=255, blank=True, default="")
    manifest = models.CharField(max_length=200, blank=True, default="")
    # A ZIP in the store; or what was sent in parts, until the import is over; or a folder of the store, which is kept.
    archive = models.CharField(max_length=200, blank=True, default="")
    upload = models.OneToOneField(Upload, models.PROTECT, null=True, related_name="+")
    folder = models.CharField(max_length=200, blank=True, default="", db_default="")
    # The study whose traps are copied. No foreign key: deleting that study would delete this row.
    traps_of = models.PositiveBigIntegerField(null=True)
    questions = models.CharField(max_length=200, blank=True, default="")
    golden = models.CharField(max_length=200, blank=True, default="")
    # [{"table": "manifest", "row": 3, "file": "a.wav", "column": "role", "reason": "…", "warning": false}]
    report = models.JSONField(default=list)
    clips_added = models.PositiveIntegerField(default=0)
    questions_added = models.PositiveIntegerField(default=0)
    # Import the other clips if a file can't be read; skip clips that the study has already, or replace them.
    leaves_out = models.BooleanField(default=False, db_default=False)
    skips_known = models.BooleanField(default=False, db_default=False)
    replaces_known = models.BooleanField(default=False, db_default=False)
    # Import the part that the header declares of a file that goes on with something unknown.
    keeps_declared = models.BooleanField(default=False, db_default=False)
    # The clip of a draft that is withdrawn when the new one is added.
    replaces = models.ForeignKey(Clip, models.SET_NULL, null=True, related_name="+")

    task_name = "studies.import_clips"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study}: {self.manifest_name}"

    @property
    def is_conversion(self) -> bool:
        """True if it converts all clips: uploads have a manifest and an archive, commands are never queued."""
        return not (self.manifest or self.archive_name) and self.queued_at is not None

    @property
    def refusals(self) -> int:
        """Count the problems in the report that are not warnings."""
        return sum(not line["warning"] for line in self.report)

    @property
    def left_out(self) -> int:
        """Count the files in the report that were left out while the others were imported."""
        return sum(bool(line.get("left_out")) for line in self.report)

    @property
    def uncertain(self) -> int:
        """Count the files in the report that go on with something unknown, and were not imported."""
        return sum(bool(line.get("uncertain")) for line in self.report)


class ClipUpload(models.Model):
    """An upload in release 0.1, now `accounts.uploads`; the next release drops this table."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="uploads")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    name = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    part_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_index=True)
    store = models.CharField(max_length=20, blank=True, default="")
    target = models.CharField(max_length=200, blank=True, default="")
    multipart = models.TextField(blank=True, default="")
    parts = models.ForeignKey(Upload, models.SET_NULL, null=True, related_name="+")
    file = models.CharField(max_length=200, blank=True, default="")

    def __str__(self) -> str:
        return self.name
