"""What a researcher says about a run and about clips to hold back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from judge.prescreening.holds import Rule


class HoldForm(forms.Form):
    """Rule by which clips are held back; sent in the query string, so that a list can be opened again."""

    metric = forms.IntegerField(widget=forms.HiddenInput)
    below = forms.FloatField(
        label=gettext_lazy("Score below"), required=False, widget=forms.NumberInput(attrs={"step": "any"})
    )
    above = forms.FloatField(
        label=gettext_lazy("Score above"), required=False, widget=forms.NumberInput(attrs={"step": "any"})
    )
    failed = forms.BooleanField(label=gettext_lazy("Clips without a score"), required=False)
    low_mass = forms.BooleanField(label=gettext_lazy("Clips with a small label mass"), required=False)
    system = forms.ChoiceField(label=gettext_lazy("Of which system"), required=False)
    role = forms.ChoiceField(
        label=gettext_lazy("Among which clips"),
        required=False,
        choices=[("", gettext_lazy("all")), ("test", gettext_lazy("test clips")), ("traps", gettext_lazy("traps"))],
    )

    def __init__(self, *args: Any, systems: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        names: list[tuple[str, Any]] = [(name, name) for name in systems]
        self.fields["system"].choices = [("", gettext_lazy("all systems")), *names]  # type: ignore[attr-defined]

    @property
    def rule(self) -> Rule:
        """Return what was said, once it is valid."""
        return Rule(**self.cleaned_data)
