"""Raters: how they came through the study, how long they took, how they changed."""

from __future__ import annotations

from typing import Any

from analysis.report.plots import canvas, dots
from analysis.report.plots.canvas import Plot
from analysis.report.plots.dots import Look, Mark, Row, label
from analysis.report.plots.scored import scale_of
from analysis.report.plots.words import fold, number
from analysis.report.sections import is_there, section

BOX, GAP = 0.27, 0.16


def flow(results: dict[str, Any]) -> Plot | None:
    """Draw the way of people through the study: stages down the middle, exits to the side."""
    steps = section(results, "participants").get("steps", [])
    if not steps:
        return None
    from matplotlib.patches import FancyBboxPatch

    with canvas.sheet(len(steps) * (BOX + GAP) + 0.05) as figure:
        axes = figure.subplots()
        high = len(steps) * (BOX + GAP)
        axes.set_xlim(0, canvas.COLUMN)
        axes.set_ylim(high, 0)
        axes.axis("off")
        wide = 1.5 if any(step["is_exit"] for step in steps) else 2.4
        stages = [place for place, step in enumerate(steps) if not step["is_exit"]]
        for place, step in enumerate(steps):
            top = place * (BOX + GAP) + GAP / 2
            left, width = (1.75, 1.5) if step["is_exit"] else (0.1, wide)
            colour = canvas.QUIET if step["is_exit"] else canvas.COLOURS["human"]
            style: dict[str, Any] = {
                "fc": "white",
                "ec": colour,
                "lw": 0.8,
                "ls": (0, (3, 2)) if step["is_exit"] else "-",
            }
            axes.add_patch(FancyBboxPatch((left, top), width, BOX, boxstyle="round,pad=0,rounding_size=0.04", **style))
            axes.text(
                left + 0.07,
                top + BOX / 2,
                fold(step["label"][:1].upper() + step["label"][1:], 21 if wide < 2 else 40),
                va="center",
                size=canvas.SMALL,
            )
            axes.text(left + width - 0.07, top + BOX / 2, f"{step['count']:,}", va="center", ha="right")
            arrow = {"arrowstyle": "-|>", "lw": 0.6, "color": canvas.QUIET, "shrinkA": 0, "shrinkB": 0,
                     "mutation_scale": 5}  # fmt: skip
            if step["is_exit"]:
                axes.annotate("", (left, top + BOX / 2), (0.1 + wide / 2, top + BOX / 2), arrowprops=arrow)
            elif place != stages[-1]:
                after = next(stage for stage in stages if stage > place)
                axes.annotate(
                    "", (0.1 + wide / 2, after * (BOX + GAP) + GAP / 2), (0.1 + wide / 2, top + BOX), arrowprops=arrow
                )
        said = "; ".join(f"{step['label']} {step['count']}" for step in steps)
        return canvas.finish(figure, name="flow", title="Participants", alt=f"Flow of participants. {said}.")


def times(results: dict[str, Any]) -> Plot | None:
    """Draw median and mean seconds per clip by system."""
    rows = [
        row for row in section(results, "times").get("rows", [])
        if row["response_median"] is not None and row["response_mean"] is not None
    ]  # fmt: skip
    if not rows:
        return None
    looks = [Look("Median", canvas.INK, "o"), Look("Mean", canvas.INK, "D", is_hollow=True)]
    most = max(max(row["response_median"], row["response_mean"]) for row in rows)
    lines = [
        Row(
            label(row["name"], row["kind"]) if row["name"] or row["kind"] else "All clips",
            (Mark(row["response_median"], look=0), Mark(row["response_mean"], look=1)),
            f"{number(row['response_median'], 1)} · {number(row['response_mean'], 1)}",
        )
        for row in rows
    ]
    with canvas.sheet(dots.height(lines, looks), text="".join(row.label for row in lines)) as figure:
        dots.draw(figure, lines, looks, axis="Seconds from the clip shown to the answer", ends=(0.0, most))
        said = "; ".join(
            f"{line.label} median {number(row['response_median'], 1)}, mean {number(row['response_mean'], 1)}"
            for line, row in zip(lines, rows, strict=True)
        )
        return canvas.finish(figure, name="times", title="Seconds per clip", alt=f"Seconds per clip. {said}.")


def drift(results: dict[str, Any]) -> Plot | None:
    """Draw mean score and median seconds over the session."""
    quality = section(results, "quality")
    parts = quality.get("drift", [])
    if not is_there(quality) or len(parts) < 2:
        return None
    scale = scale_of(results)
    places = [(part["first"] + part["last"]) / 2 for part in parts]
    timed = [
        (place, part["response"]) for place, part in zip(places, parts, strict=True) if part["response"] is not None
    ]
    with canvas.sheet(1.7 if timed else 1.2) as figure:
        panels = figure.subplots(2 if timed else 1, 1, sharex=True, squeeze=False)[:, 0]
        values = [scale.factor * part["score"] for part in parts]
        panels[0].plot(places, values, "-o", color=canvas.COLOURS["human"], ms=3, lw=1)
        panels[0].set_ylabel(fold(scale.title, 14))
        if timed:
            panels[1].plot(*zip(*timed, strict=True), "--s", color=canvas.COLOURS[""], ms=3, lw=1, mfc="white")
            panels[1].set_ylabel("Seconds,\nmedian")
        for panel in panels:
            panel.grid(color=canvas.LINE, lw=0.4)
            panel.set_axisbelow(True)
            panel.spines[["top", "right"]].set_visible(False)
            panel.tick_params(axis="y", labelsize=canvas.SMALL)
            low, high = panel.get_ylim()
            # A flat line must look flat: no axis shorter than a tenth of the scale, or than a second.
            least = 0.1 * scale.factor * (scale.high - scale.low) if panel is panels[0] else 1.0
            if high - low < least:
                panel.set_ylim((low + high - least) / 2, (low + high + least) / 2)
        panels[-1].set_xlabel("Place in the session")
        figure.align_ylabels()
        said = "; ".join(
            f"trials {part['first']} to {part['last']}: {scale.show(part['score'])}"
            + (f", {number(part['response'], 1)} s" if part["response"] is not None else "")
            for part in parts
        )
        alt = f"{scale.title} and median seconds over the session. {said}."
        return canvas.finish(figure, name="drift", title=f"{scale.name} over the session", alt=alt)
