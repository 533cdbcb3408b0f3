"""The form for adding clips."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from studies.definition.models import Study
from studies.imports import store_folders
from studies.imports.requests import Choices

ARCHIVES = (".zip",)
LISTS = (".csv", ".tsv", ".txt")
KNOWN = (
    ("keep", _("Keep the clip that is here")),
    ("replace", _("Replace it by the new one")),
    ("stop", _("Import nothing")),
)


def _list(label: Any, **options: Any) -> forms.FileField:
    """Return a field for a CSV file."""
    return forms.FileField(label=label, widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}), **options)


class AddClipsForm(forms.Form):
    """A ZIP of audio or a folder of the store, and its manifest (CSV); with questions, if the task asks any."""

    folder = forms.CharField(
        label=_("Folder in the store"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "folders", "autocomplete": "off"}),
        help_text=_(
            "A folder that was copied to incoming/ in the server’s file store or its bucket. The import reads it and "
            "leaves it there."
        ),
    )

    archive = forms.FileField(
        label=_("Archive of audio files (ZIP)"),
        error_messages={"required": _("Choose the ZIP with the audio.")},
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    manifest = _list(
        _("Manifest (CSV)"),
        required=False,
        help_text=_(
            "One row for each clip. Required columns: file, system, role; “file” is the path inside the archive. "
            "Leave empty if the ZIP contains the manifest, as the one CSV file at its top or as manifest.csv."
        ),
    )
    questions = _list(
        _("Questions (CSV)"),
        required=False,
        help_text=_(
            "2 to 10 rows for each passage; “passage” is the text_id of its clips. Columns: passage, question, "
            "correct, distractor_1, distractor_1_error, distractor_2, distractor_2_error."
        ),
    )
    golden = _list(
        _("Golden questions (CSV)"),
        required=False,
        help_text=_(
            "Questions that anybody can answer, mixed in to check attention. "
            "Columns: question, correct, distractor_1, distractor_2."
        ),
    )

    leaves_out = forms.BooleanField(
        label=_("Leave out files that can’t be read, and import the others"), required=False, initial=True
    )
    keeps_declared = forms.BooleanField(
        label=_("Import the clips whose end is uncertain, with the audio that their headers declare"), required=False
    )
    known = forms.ChoiceField(
        label=_("If the study has a clip of the same name already"),
        choices=KNOWN,
        required=False,
        initial="keep",
        widget=forms.RadioSelect,
    )

    # The key of an archive that the script uploaded before the form.
    upload = forms.CharField(required=False, max_length=22, widget=forms.HiddenInput)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = self.fields["known"]
        assert isinstance(known, forms.ChoiceField)
        if not study.is_draft:
            known.choices = [(value, label) for value, label in KNOWN if value != "replace"]
        if self.data.get("upload") or self.data.get("folder"):
            self.fields["archive"].required = False
        if not study.definition.kind.asks:
            del self.fields["questions"], self.fields["golden"]

    @property
    def choices(self) -> Choices:
        """Return the choices of a valid form."""
        given = self.cleaned_data
        return Choices(
            leaves_out=given["leaves_out"],
            skips_known=given["known"] == "keep",
            replaces_known=given["known"] == "replace",
            keeps_declared=given["keeps_declared"],
        )

    def clean_folder(self) -> str:
        name = str(self.cleaned_data["folder"]).strip().strip("/")
        if name and name not in store_folders.folders():
            raise ValidationError(_("There is no such folder below incoming/ in the store."))
        return name

    def clean_archive(self) -> UploadedFile[Any] | None:
        if not self.cleaned_data["archive"]:
            return None
        archive = _named(self.cleaned_data["archive"], ARCHIVES)
        limit = settings.UPLOAD_LIMIT_MB
        if archive.size and archive.size > limit * 2**20:
            raise ValidationError(
                _("The archive is larger than %(limit)s MB; send it in parts."), params={"limit": limit}
            )
        return archive

    def clean_manifest(self) -> UploadedFile[Any] | None:
        return self._optional("manifest")

    def clean_questions(self) -> UploadedFile[Any] | None:
        return self._optional("questions")

    def clean_golden(self) -> UploadedFile[Any] | None:
        return self._optional("golden")

    def _optional(self, name: str) -> UploadedFile[Any] | None:
        file = self.cleaned_data[name]
        return _named(file, LISTS) if file else None


def _named(file: Any, endings: tuple[str, ...]) -> UploadedFile[Any]:
    if PurePath(str(file.name)).suffix.lower() not in endings:
        raise ValidationError(_("This file’s name should end in %(endings)s."), params={"endings": ", ".join(endings)})
    assert isinstance(file, UploadedFile)
    return file
