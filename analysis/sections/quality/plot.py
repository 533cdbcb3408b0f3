"""The plot of drift over a session."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas
from analysis.plots.canvas import Plot
from analysis.plots.words import Scale, fold, number
from analysis.sections.parts import enumerated, scale_of
from analysis.sections.quality import Drift
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def drift(results: Results) -> Plot | None:
    """Draw mean score and median seconds over the session."""
    quality = results.quality
    if isinstance(quality, Refusal) or len(quality.drift) < 2:
        return None
    parts = quality.drift
    scale = scale_of(results)
    places = [(part.first + part.last) / 2 for part in parts]
    timed = [(place, part.response) for place, part in zip(places, parts, strict=True) if part.response is not None]
    with canvas.sheet(1.7 if timed else 1.2) as figure:
        panels = figure.subplots(2 if timed else 1, 1, sharex=True, squeeze=False)[:, 0]
        values = [scale.factor * part.score for part in parts]
        panels[0].plot(places, values, "-o", color=canvas.COLOURS["human"], ms=3, lw=1)
        panels[0].set_ylabel(fold(scale.title, 14))
        if timed:
            panels[1].plot(*zip(*timed, strict=True), "--s", color=canvas.COLOURS[""], ms=3, lw=1, mfc="white")
            panels[1].set_ylabel(_("Seconds,\nmedian"))
        for panel in panels:
            panel.grid(color=canvas.LINE, lw=0.4)
            panel.set_axisbelow(True)
            panel.spines[["top", "right"]].set_visible(False)
            panel.tick_params(axis="y", labelsize=canvas.SMALL)
            low, high = panel.get_ylim()
            # A nearly flat line must look flat: an axis covers at least a tenth of the scale, or a second.
            least = 0.1 * scale.factor * (scale.high - scale.low) if panel is panels[0] else 1.0
            if high - low < least:
                panel.set_ylim((low + high - least) / 2, (low + high + least) / 2)
        panels[-1].set_xlabel(_("Place in the session"))
        panels[-1].locator_params(axis="x", integer=True)
        figure.align_ylabels()
        alt = _("{score} and median seconds over the session. {values}.").format(
            score=scale.title, values=enumerated([_part(part, scale) for part in parts])
        )
        title = _("{score} over the session").format(score=scale.name)
        return canvas.finish(figure, name="drift", title=title, alt=alt)


def _part(part: Drift, scale: Scale) -> str:
    timed = part.response is not None
    words = _("trials {first} to {last}: {score}, {seconds} s") if timed else _("trials {first} to {last}: {score}")
    seconds = "" if part.response is None else number(part.response, 1)
    return words.format(first=part.first, last=part.last, score=scale.show(part.score), seconds=seconds)
