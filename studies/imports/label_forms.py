"""The form that corrects the labels of clips, of one or of many at once."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from studies.clips.models import Clip
from studies.imports.column_labels import LABELS
from studies.imports.ingest.manifest import LONGEST


def one_line(value: str) -> None:
    """Refuse line breaks and other control characters, as the import does."""
    if any(unicodedata.category(character) == "Cc" for character in value):
        raise ValidationError(_("Remove the line break or the control character."))


class ManyClipsForm(forms.Form):
    """Labels for all selected clips; an empty field changes nothing."""

    role = forms.ChoiceField(label=LABELS["role"], required=False)
    system = forms.CharField(
        label=LABELS["system"], required=False, max_length=LONGEST["system"], validators=[one_line]
    )
    text = forms.CharField(label=_("Text"), required=False, max_length=LONGEST["text_id"], validators=[one_line])
    voice = forms.CharField(label=LABELS["voice"], required=False, max_length=LONGEST["voice"], validators=[one_line])
    dimension = forms.CharField(
        label=LABELS["dimension"], required=False, max_length=LONGEST["dimension"], validators=[one_line]
    )
    unchanged = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        role = self.fields["role"]
        assert isinstance(role, forms.ChoiceField)
        role.choices = [*([("", _("Unchanged"))] if self.unchanged else []), *Clip.Role.choices]
        for name in ("system", "dimension"):
            self.fields[name].widget.attrs["list"] = f"known-{name}s"

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels to set."""
        return {name: value for name, value in self.cleaned_data.items() if value or not self.unchanged}


class OneClipForm(ManyClipsForm):
    """All labels of one clip, which are stored as they are; text, voice and dimension may be empty."""

    unchanged = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].required = self.fields["system"].required = True

    @classmethod
    def of(cls, clip: Clip) -> OneClipForm:
        """Return the form with a clip's present labels."""
        text = clip.text.name if clip.text is not None else ""
        shown = {"role": clip.role, "system": clip.system.name, "text": text}
        return cls(initial={**shown, "voice": clip.voice, "dimension": clip.dimension}, auto_id="one_%s")
