"""Serializers of requests and responses about studies."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.api.paging import Paged
from accounts.api.shapes import Base, FieldError, JobState, Strict, job_fields
from studies.clips.models import Clip, ClipImport
from studies.definition import presets
from studies.definition.models import Study, StudyVersion
from studies.launch import saved_presets

SETTINGS_HELP = 'Dotted settings, such as {"protocol.ratings_wanted": 5}; what is not named keeps its value.'


class NewStudy(Strict):
    """A study to make."""

    slug = serializers.CharField(max_length=60, help_text="Its address: lower-case letters, digits, single hyphens.")
    title = serializers.CharField(max_length=200, help_text="Shown to raters.")
    preset = serializers.CharField(default="att", help_text="A name from /presets.")
    language = serializers.CharField(default="en", help_text="Of the preset's texts and questions.")
    settings = serializers.DictField(required=False, help_text=SETTINGS_HELP)

    def validate_preset(self, name: str) -> str:
        if name not in presets.by_name() and saved_presets.definition_of(name) is None:
            known = ", ".join(sorted(presets.by_name()))
            raise serializers.ValidationError(_("There is no such preset; known are: {known}.").format(known=known))
        return name


class Copy(Strict):
    """A study to make from another one."""

    slug = serializers.CharField(max_length=60, help_text="Of the new study.")
    title = serializers.CharField(
        max_length=200, required=False, help_text="Shown to raters; that of the study with a number if left out."
    )
    with_clips = serializers.BooleanField(default=True, help_text="Copy the clips and the questions about them, too.")


class Changes(Strict):
    """What to change in a draft."""

    title = serializers.CharField(max_length=200, required=False)
    notice = serializers.CharField(max_length=300, required=False, allow_blank=True)
    remark = serializers.CharField(max_length=500, required=False, allow_blank=True)
    settings = serializers.DictField(required=False, help_text=SETTINGS_HELP)


class Trial(Strict):
    """What to try in a draft without changing it."""

    settings = serializers.DictField(required=False, help_text=SETTINGS_HELP)


class StudiesQuery(Paged):
    """Which studies."""

    state = serializers.ChoiceField(choices=Study.State.values, required=False)
    archived = serializers.BooleanField(default=False, help_text="The archived studies instead of the others.")


class PresetShown(Base):
    """A protocol to begin with."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # fields leave the class when it is made
    summary = serializers.CharField()
    settings = serializers.DictField(help_text="Every setting and its default.")


class StudyRow(Base):
    """A study in a list."""

    slug = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=Study.State.values)
    preset = serializers.CharField()
    task_type = serializers.CharField()
    created_at = serializers.DateTimeField()
    launched_at = serializers.DateTimeField(allow_null=True)
    archived_at = serializers.DateTimeField(allow_null=True, help_text="Left out of lists since then; null: listed.")
    copied_from = serializers.CharField(help_text="The slug of the study that it was duplicated from; or empty.")
    url = serializers.CharField()


class StudyShown(StudyRow):
    """A study with its draft."""

    notice = serializers.CharField(allow_blank=True)
    remark = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField(allow_null=True, help_text="What raters meet now; null: not launched.")
    has_changes = serializers.BooleanField(help_text="Whether the draft differs from that version.")
    settings = serializers.DictField(help_text="The draft.")


class VersionRow(Base):
    """A version as raters met it."""

    number = serializers.IntegerField()
    sha256 = serializers.CharField()
    published_at = serializers.DateTimeField()
    url = serializers.CharField()


class VersionShown(VersionRow):
    """A version with all it says."""

    settings = serializers.DictField()


@extend_schema_serializer(component_name="Found")
class FindingShown(Base):
    """One thing to know before a launch."""

    level = serializers.ChoiceField(choices=["blocking", "warning", "note"])
    message = serializers.CharField()


@extend_schema_serializer(component_name="Checked")
class LaunchReportShown(Base):
    """What a launch would find."""

    launchable = serializers.BooleanField(help_text="Whether nothing blocks.")
    findings = FindingShown(many=True)


class ClipsQuery(Paged):
    """Which clips; every filter is an exact value."""

    file = serializers.CharField(required=False)
    system = serializers.CharField(required=False)
    role = serializers.ChoiceField(choices=Clip.Role.values, required=False)
    voice = serializers.CharField(required=False)
    text_id = serializers.CharField(required=False)
    dimension = serializers.CharField(required=False)
    language = serializers.CharField(required=False)
    box = serializers.CharField(required=False)
    benchmark = serializers.CharField(required=False)
    condition = serializers.CharField(required=False)
    domain = serializers.CharField(required=False)
    withdrawn = serializers.BooleanField(required=False, allow_null=True, default=None)


class ClipShown(Base):
    """A clip: what the manifest said, and what was measured."""

    id = serializers.IntegerField(source="pk")
    file = serializers.CharField()
    system = serializers.CharField(source="system.name")
    role = serializers.ChoiceField(choices=Clip.Role.values)
    voice = serializers.CharField()
    text_id = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField(help_text="Empty for black-box texts, unless you may change the study.")
    dimension = serializers.CharField()
    language = serializers.CharField()
    box = serializers.CharField()
    benchmark = serializers.CharField()
    condition = serializers.CharField()
    domain = serializers.CharField()
    take = serializers.CharField()
    seen = serializers.CharField(
        help_text="Whether the system was trained on the benchmark: yes, no, or empty if it is not known."
    )
    expected = serializers.CharField(
        help_text="Right answer of a trap: a point of the scale, such as 2, or a range, such as 4.. or ..2."
    )
    sha256 = serializers.CharField(help_text="Of the original.")
    duration = serializers.FloatField(help_text="Seconds.")
    sample_rate = serializers.IntegerField(help_text="Hz, of the original.")
    channels = serializers.IntegerField()
    loudness = serializers.FloatField(allow_null=True, help_text="LUFS, of the original.")
    true_peak = serializers.FloatField(help_text="dBTP, of the original.")
    gain = serializers.FloatField(help_text="dB, applied to what raters hear.")
    added_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)

    def get_text_id(self, clip: Clip) -> str:
        return clip.text.name if clip.text else ""

    def get_text(self, clip: Clip) -> str:
        return clip.text.body if clip.text and clip.text.name not in self.context.get("withheld", ()) else ""


class NewImport(Strict):
    """Clips to bring in: a manifest, and an archive that comes with it or was uploaded before."""

    manifest = serializers.FileField(help_text="CSV, one row a clip.")
    archive = serializers.FileField(required=False, help_text="ZIP of the audio files.")
    upload = serializers.RegexField(
        r"^[A-Za-z0-9_-]{22}$", required=False, help_text="Id of a finished upload, in place of `archive`."
    )
    questions = serializers.FileField(required=False, help_text="CSV, one row a question.")
    golden = serializers.FileField(required=False, help_text="CSV, one row a golden question.")
    leave_out_bad = serializers.BooleanField(
        default=False, help_text="Import the other clips if a file can't be read; warnings name those left out."
    )
    skip_known = serializers.BooleanField(
        default=False, help_text="Keep clips of the same name that the study has already, and import the others."
    )
    replace_known = serializers.BooleanField(
        default=False,
        help_text="Replace clips of the same name that a draft has already; the old ones are deleted.",
    )

    keep_declared = serializers.BooleanField(
        default=False,
        help_text="Of a WAV file that goes on with something unknown, import the part that its header declares.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if ("archive" in values) == ("upload" in values):
            raise serializers.ValidationError({"archive": _("Send an archive, or name an upload: one of the two.")})
        if values["skip_known"] and values["replace_known"]:
            raise serializers.ValidationError({"replace_known": _("Skip known clips or replace them: one of the two.")})
        return values


class ImportRow(JobState):
    """An import in a list."""

    manifest_name = serializers.CharField()
    archive_name = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    clips_added = serializers.IntegerField()
    questions_added = serializers.IntegerField()


class ImportShown(ImportRow):
    """An import with what was refused: then nothing was taken."""

    accepted = serializers.BooleanField(help_text="Whether it is done and nothing was refused.")
    errors = FieldError(  # type: ignore[assignment]
        many=True, help_text="Row 0: the archive or the list as a whole."
    )
    warnings = FieldError(many=True)


STUDY_COLUMNS = ("slug", "title", "state", "created_at", "launched_at", "archived_at", "copied_from")


def study_row(study: Study) -> dict[str, Any]:
    """Return the fields of `StudyRow`."""
    return {
        **{name: getattr(study, name) for name in STUDY_COLUMNS},
        "preset": study.draft["preset"],
        "task_type": study.draft["task_type"],
        "url": reverse("api:study", args=[study.slug]),
    }


def version_row(study: Study, version: StudyVersion) -> dict[str, Any]:
    """Return the fields of `VersionRow`."""
    return {
        **{name: getattr(version, name) for name in ("number", "sha256", "published_at")},
        "url": reverse("api:version", args=[study.slug, version.number]),
    }


def import_row(study: Study, job: ClipImport) -> dict[str, Any]:
    """Return the fields of `ImportRow`."""
    names = ("manifest_name", "archive_name", "created_at", "clips_added", "questions_added")
    url = reverse("api:import", args=[study.slug, job.pk])
    return {**job_fields(job, url), **{name: getattr(job, name) for name in names}}


def import_shown(study: Study, job: ClipImport) -> dict[str, Any]:
    """Return the fields of `ImportShown`."""
    lines = [
        {
            **{name: line[name] for name in ("table", "row", "file", "column") if name in line},
            "message": line["reason"],
            "warning": line["warning"],
        }
        for line in job.report
    ]
    return {
        **import_row(study, job),
        "accepted": job.state == "done" and not job.refusals,
        "errors": [line for line in lines if not line["warning"]],
        "warnings": [line for line in lines if line["warning"]],
    }
