"""What was answered: how often each code, and what the exclusions do to the scores."""

from __future__ import annotations

from typing import Any

from analysis.report.plots import canvas, dots, series
from analysis.report.plots.canvas import Plot
from analysis.report.plots.dots import Mark, Row
from analysis.report.plots.scored import scale_of
from analysis.report.plots.words import fold, number
from analysis.report.sections import is_there, section

# What a group of systems tells most about, where the manifest names it.
BY = ("domain", "system", "overall")
LABELS = "label"


def shares(results: dict[str, Any]) -> list[Plot]:
    """Draw each breakdown: codes down, a mark for each group."""
    tables = section(results, "breakdowns").get("tables", [])
    return [plot for table in tables if table["part"] != LABELS and (plot := _shares(table)) is not None]


def _shares(table: dict[str, Any]) -> Plot | None:
    groups = next((found for by in BY if (found := _groups(table["groups"].get(by, [])))), [])
    if not groups:
        return None
    looks = series.looks([(group["name"] or "All", group["kind"]) for group in groups])
    values = [[100 * count / group["of"] for count in group["counts"]] for group in groups]
    order = sorted(range(len(table["lines"])), key=lambda line: -max(column[line] for column in values))
    rows = [
        Row(
            fold(table["lines"][line]["label"], 22),
            tuple(Mark(column[line], look=number) for number, column in enumerate(values)),
        )
        for line in order
    ]
    what = table["title"]
    of = "of all usable answers" if not table["per"] else "of all questions answered"
    with canvas.sheet(dots.height(rows, looks, per=0.2) + 0.1 * (len(looks) // 3), text=_text(rows, looks)) as figure:
        dots.draw(figure, rows, looks, axis=f"{what} (% {of})")
        said = "; ".join(
            f"{table['lines'][line]['label']}: "
            + ", ".join(f"{look.name} {number(column[line], 1)}" for look, column in zip(looks, values, strict=True))
            for line in order
        )
        return canvas.finish(
            figure, name=f"shares-{table['part']}", title=f"{what} by group", alt=f"{what} in percent {of}. {said}."
        )


def _groups(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return groups with answers, human speech first; none when they are too many to be told apart."""
    kept = sorted(
        (group for group in found if group["of"] and group["kind"] != "anchor"), key=lambda g: g["kind"] != "human"
    )
    return kept if len(kept) <= series.MOST else []


def multiverse(results: dict[str, Any]) -> Plot | None:
    """Draw every system's score under every choice of exclusion rules, and which rules each choice applies."""
    found = section(results, "multiverse")
    if not is_there(found) or len(found["universes"]) < 2 or len(found["systems"]) > series.MOST:
        return None
    scale = scale_of(results)
    worlds = sorted(found["universes"], key=lambda world: (len(world["rules"]), world["rules"]))
    looks = series.looks([(name, "human" if name == "human" else "") for name in found["systems"]])
    places = list(range(len(worlds)))
    rules = [fold(rule, 18, lines=1) for rule in found["rules"]]
    tall = 0.16 * len(rules) + 0.1
    with canvas.sheet(1.5 + tall + 0.15 * (1 + len(looks) // 3), text="".join([*rules, _text([], looks)])) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.5, tall])
        for number_, look in enumerate(looks):
            line = [(at, world["scores"][number_]) for at, world in zip(places, worlds, strict=True)]
            known = [(at, scale.factor * score) for at, score in line if score is not None]
            size = 3 if len(worlds) <= 40 else 1.5
            if known:
                top.plot(
                    *zip(*known, strict=True), look.shape, color=look.colour, ms=size, mew=0.6, label=look.name,
                    mfc="white" if look.is_hollow else look.colour,
                )  # fmt: skip
        on = [(at, down) for at, world in zip(places, worlds, strict=True) for down, rule in enumerate(found["rules"])
              if rule in world["rules"]]  # fmt: skip
        if on:
            bottom.plot(*zip(*on, strict=True), "|", color=canvas.INK, ms=4, mew=0.9)
        bottom.set_yticks(range(len(rules)), rules, size=canvas.SMALL)
        bottom.set_ylim(len(rules) - 0.5, -0.5)
        bottom.set_xticks([])
        bottom.set_xlabel(f"{len(worlds)} choices of exclusion rules, a stroke where a rule is applied")
        top.set_ylabel(scale.title)
        top.grid(axis="y", color=canvas.LINE, lw=0.4)
        top.tick_params(axis="x", length=0)
        top.tick_params(axis="y", labelsize=canvas.SMALL)
        for panel in (top, bottom):
            panel.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper left", ncols=3, frameon=False, handletextpad=0.2, columnspacing=1.0)
        said = []
        for number_, look in enumerate(looks):
            scores = [world["scores"][number_] for world in worlds if world["scores"][number_] is not None]
            if scores:
                said.append(f"{look.name} from {scale.show(min(scores))} to {scale.show(max(scores))}")
        alt = (
            f"{scale.title} under {len(worlds)} choices of exclusion rules. {'; '.join(said)}. "
            f"The order of systems is that of all rules together in {found['same_order']} of them."
        )
        return canvas.finish(figure, name="multiverse", title=f"{scale.name} and the exclusion rules", alt=alt)


def _text(rows: list[Row], looks: list[Any]) -> str:
    return "".join([*(row.label for row in rows), *(look.name for look in looks)])
