"""Forms for metrics."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.metrics.models import MetricSet
from analysis.metrics.sets import LONGEST_NAME
from core.web import client_input


class Meaning(forms.Form):
    """A metric's name, direction and scale."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    direction = forms.ChoiceField(label=_("Which values are better"), choices=MetricSet.Direction.choices)
    low = forms.FloatField(
        label=_("Lower end of the scale"),
        required=False,
        help_text=_("Give both ends, and values are also read from 0 (worst) to 1 (best): of 1 and 5, (m − 1) / 4."),
    )
    high = forms.FloatField(label=_("Upper end of the scale"), required=False)


class MetricFile(Meaning):
    """An uploaded file, with the direction and scale of metrics for which the file gives none."""

    file = forms.FileField(
        label=_("File"), help_text=_("A CSV with the columns clip, metric, value, or a judge’s scores.csv.")
    )
    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        required=False,
        help_text=_("Instead of the name in the file, where it has one metric."),
    )
    source = forms.CharField(
        label=_("Made by"), max_length=200, required=False, help_text=_("A tool and its version, in your own words.")
    )
    field_order = ("file", "name", "direction", "low", "high", "source")

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if problem := client_input.too_large(file.size):
            raise forms.ValidationError(problem)
        return file
