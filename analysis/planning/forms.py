"""The forms of a plan: a field for each input, prefilled for the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analysis.planning.answers import is_shared, rates_reference
from analysis.planning.inputs import KappaInputs, PowerInputs, WidthInputs
from analysis.planning.power import pairs_of
from core.errors import Invalid
from studies.clips import figures as clip_figures
from studies.definition.form_fields import field_of
from studies.task_types.base import HUMAN

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.models import Study

# Always visible; the other fields are folded away.
MAIN = ("difference", "level", "human", "power", "systems", "dimensions", "clips", "per_rater")
LABELS = {
    "difference": gettext_lazy("Difference to find"),
    "level": gettext_lazy("Expected score"),
    "human": gettext_lazy("Expected score of human speech"),
    "power": gettext_lazy("Power"),
    "systems": gettext_lazy("Systems"),
    "dimensions": gettext_lazy("Dimensions"),
    "clips": gettext_lazy("Clips of each system"),
    "per_rater": gettext_lazy("Clips of each system a rater rates"),
    "lost": gettext_lazy("Share lost before rating"),
    "invalid": gettext_lazy("Share of invalid batches"),
    "spread": gettext_lazy("How people and clips differ"),
    "sd_rater": gettext_lazy("SD of raters"),
    "sd_slope": gettext_lazy("SD of raters’ liking of a system"),
    "sd_clip": gettext_lazy("SD of clips"),
    "sd_residual": gettext_lazy("SD of what is left"),
    "studies": gettext_lazy("Simulated studies"),
    "seed": gettext_lazy("Seed"),
    "width": gettext_lazy("Width wanted"),
    "days": gettext_lazy("Days of the present pace"),
    "kappa": gettext_lazy("Kappa expected"),
    "share": gettext_lazy("Share with the code"),
    "half_width": gettext_lazy("Half width wanted"),
}


# Of tasks that compare systems.
OF_PAIRS = {
    "difference": (
        gettext_lazy("Preference to find"),
        gettext_lazy("Distance from no preference (50 %, or 0 of grades), in the unit that pages show."),
    ),
    "systems": (LABELS["systems"], gettext_lazy("Systems in the study, the baseline among them.")),
    "clips": (gettext_lazy("Clip pairs for each pair of systems"), gettext_lazy("Usually as many as texts.")),
    "per_rater": (
        gettext_lazy("Clip pairs a rater judges, for each pair of systems"),
        gettext_lazy("At most as many as there are."),
    ),
    "sd_slope": (
        gettext_lazy("SD of raters’ liking of a system"),
        gettext_lazy("Next to the one that it is compared with; with scores."),
    ),
    "sd_clip": (gettext_lazy("SD of pairs"), gettext_lazy("SD of clip pairs of two systems; with scores.")),
}


class PlanForm(forms.Form):
    """A form with every input of a plan; errors from the inputs' validation are shown at their fields."""

    def __init__(self, inputs: type[PowerInputs | WidthInputs | KappaInputs], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, info in inputs.model_fields.items():
            self.fields[name] = field_of(name, info)
            self.fields[name].label = LABELS[name]
            self.fields[name].initial = info.default

    def word_for_pairs(self) -> None:
        """Use the words of tasks that compare systems, and drop expected scores: the level is that of no preference."""
        for name in ("level", "human"):
            self.fields.pop(name, None)
        for name, (label, help_text) in OF_PAIRS.items():
            if name in self.fields:
                self.fields[name].label, self.fields[name].help_text = label, help_text

    def tell(self, error: Invalid) -> None:
        """Show the messages of a refusal at their fields."""
        for field, message in error.problems.items():
            name = field.split(".")[0]
            self.add_error(name if name in self.fields else None, gettext(message))

    @property
    def main(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name in MAIN]

    @property
    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in MAIN]


def words() -> Iterator[str]:
    """Yield texts to translate: descriptions of inputs, and a pydantic message that no form field prevents."""
    for inputs in (PowerInputs, WidthInputs, KappaInputs):
        yield from (info.description or "" for info in inputs.model_fields.values())
    yield "Input should be greater than 0"


def power_initial(study: Study, definition: Definition) -> dict[str, float]:
    """Return inputs that fit the study: its scale, its clips, and the number of tests per rater in its protocol."""
    scale, protocol = definition.kind.score, definition.protocol
    # Withdrawn clips count: they may have answers.
    tests = [group for group in clip_figures.groups(study.pk, withdrawn=True) if group.role == "test"]
    names = {group.system for group in tests}
    clips = max(2, sum(group.clips for group in tests) // len(names)) if names else 24
    # A rated reference is human speech, which the Results page compares with every system.
    systems = max(2, len(names | {HUMAN} if rates_reference(definition.kind, definition.params) else names))
    # A screen has a clip of every system; other tests have a clip of one, or a pair of two.
    if definition.kind.contests:
        parts = pairs_of(definition.params, systems)
    else:
        parts = 1 if is_shared(definition.kind, definition.params) else systems
    each = protocol.tests_per_batch * protocol.batches_per_session / parts
    return {
        "difference": round(0.1 * scale.width, 4),
        "systems": systems,
        "dimensions": max(1, len({group.dimension for group in tests} - {""})),
        "clips": clips,
        "per_rater": max(1, min(clips, int(each))),
        **{name: round(getattr(PowerInputs(), name) * scale.width, 4) for name in SDS},
    }


SDS = ("sd_rater", "sd_slope", "sd_clip", "sd_residual")


def width_initial(definition: Definition) -> dict[str, float]:
    """Return the study's own stopping width, or eight hundredths of the scale."""
    scale = definition.kind.score
    return {"width": definition.results.stop_width or round(0.08 * scale.width, 4)}


def filled(form: PlanForm, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entered values; empty fields are left out, as they have defaults."""
    return {name: value for name, value in data.items() if value is not None and name in form.fields}
