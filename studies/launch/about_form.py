"""The form of what belongs to a study and not to its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

from core.web.meanwhile import MeanwhileMixin
from studies.definition.models import Study

if TYPE_CHECKING:
    StudyForm = forms.ModelForm[Study]
else:
    StudyForm = forms.ModelForm


class AboutForm(MeanwhileMixin, StudyForm):
    """A study's title, the notice to its raters, and the remark for its researchers."""

    class Meta:
        model = Study
        fields = ("title", "notice", "remark")
        labels = {"title": _("Title"), "notice": _("Notice"), "remark": _("Remark")}
        help_texts = {
            "title": _("Shown to raters."),
            "notice": _("Shown to raters who come while the study is paused, full or closed."),
            "remark": _("Shown to researchers at the top of the study’s page; raters never see it."),
        }
        widgets = {"remark": forms.Textarea(attrs={"rows": 3})}
