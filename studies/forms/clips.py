"""The form that adds clips."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

ARCHIVES = (".zip",)
MANIFESTS = (".csv", ".tsv", ".txt")


class AddClipsForm(forms.Form):
    """A ZIP of audio and the CSV that says what each file is."""

    archive = forms.FileField(
        label=_("Archive of audio files (ZIP)"),
        error_messages={"required": _("Choose the ZIP with the audio.")},
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    manifest = forms.FileField(
        label=_("Manifest (CSV)"),
        help_text=_(
            "One row a clip. Needed columns: file, system, role; “file” is the path inside the archive. "
            "A manifest inside the ZIP isn't read."
        ),
        error_messages={"required": _("Choose the manifest (CSV). One inside the ZIP isn't read.")},
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def clean_archive(self) -> UploadedFile[Any]:
        archive = _named(self.cleaned_data["archive"], ARCHIVES)
        limit = settings.UPLOAD_LIMIT_MB
        if archive.size and archive.size > limit * 2**20:
            raise ValidationError(
                _("The archive is larger than %(limit)s MB; send it in parts."), params={"limit": limit}
            )
        return archive

    def clean_manifest(self) -> UploadedFile[Any]:
        return _named(self.cleaned_data["manifest"], MANIFESTS)


def _named(file: Any, endings: tuple[str, ...]) -> UploadedFile[Any]:
    if PurePath(str(file.name)).suffix.lower() not in endings:
        raise ValidationError(_("This file's name should end in %(endings)s."), params={"endings": ", ".join(endings)})
    assert isinstance(file, UploadedFile)
    return file
