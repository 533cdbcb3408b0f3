"""The parts of a report on design, people, exclusions, data quality and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.plots.words import scale_of
from analysis.report.document import recruited, screened
from analysis.report.document.figures import Results, name_of, scaled
from analysis.report.document.part import Part
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table

if TYPE_CHECKING:
    from studies.definition.definition import Definition

PLOTTED_RULES = 12
ADDS_UP = ("Counted in sessions. Each number is the one above it with the changes between them.",)


def design(results: Results) -> Part:
    """Return what was to be heard, by whom, under which protocol."""
    found = section(results, "design")
    if not is_there(found):
        return Part("design", "Design", refused=found["refused"])
    systems = tuple(
        (name_of(row), ", ".join(row["voices"]) or None, row["clips"], row["texts"], row["ratings"], row["raters"])
        for row in found["systems"]
    )
    heads = ("System", "Voices", "Clips", "Texts", "Ratings", "Raters")
    settings = tuple(
        (name.replace("_", " "), _setting(value))
        for group in ("protocol", "parameters")
        for name, value in found[group].items()
    )
    tables = (
        Table("systems", "What was heard, among the ratings that count", tuple(map(Column, heads)), systems),
        Table("settings", "Settings of the study", (Column("Setting"), Column("Value")), settings),
    )
    return Part("design", "Design", tuple(found["scope"]), tables)


def participants(results: Results, definition: Definition | None = None) -> Part:
    """Return the way of people through the study."""
    found = section(results, "participants")
    if not is_there(found):
        return Part("participants", "Participants", refused=found["refused"])
    steps = tuple(_step(step) for step in found["steps"])
    batches = tuple((name, number) for name, number in found["batches"].items())
    sentences = []
    if found["minutes_median"] is not None:
        sentences.append(
            f"A session took {found['minutes_median']:.1f} minutes (median of {found['minutes_sessions']})."
        )
    tables = (
        Table(
            "flow", "Flow of participants", tuple(map(Column, ("Sessions that", "Number", "Change"))), steps, ADDS_UP
        ),
        *screened.tables(found),
        Table("batches", "Batches", (Column("State"), Column("Number")), batches),
        *recruited.tables(definition.recruitment if definition else None, recruited.about_of(found)),
    )
    return Part("participants", "Participants", tuple(sentences), tables, ("flow",))


def _step(step: dict[str, Any]) -> tuple[Cell, ...]:
    if step["is_exit"]:
        return step["label"], None, -step["count"]
    return (step["label"], None, step["count"]) if step.get("is_entry") else (step["label"], step["count"], None)


def exclusions(results: Results) -> Part:
    """Return what doesn't count and why, and what that does to the scores."""
    found, worlds = section(results, "exclusions"), section(results, "multiverse")
    if not is_there(found):
        return Part("exclusions", "Exclusions", refused=found["refused"])
    rows = tuple((row["label"], row["ratings"], row["raters"], row["alone"]) for row in found["reasons"])
    columns = (Column("Reason"), Column("Ratings"), Column("Raters"), Column("By this reason alone"))
    sentences = [
        f"Of {found['given']:,} ratings of test clips by {found['raters_given']:,} raters, {found['counted']:,} by "
        f"{found['raters_counted']:,} raters count.",
    ]
    if found["late"] or found["surplus"]:
        sentences.append(f"Of them {found['late']:,} came late and {found['surplus']:,} are surplus; they count.")
    if found["pending"]:
        sentences.append(f"Review pending: {found['pending']:,} reasons await an expert, and count until then.")
    tables = [Table("exclusions", "Excluded ratings by reason", columns, rows)] if rows else []
    if is_there(worlds):
        tables.append(_multiverse(worlds, results))
        sentences.append(
            f"Under {worlds['same_order']} of {len(worlds['universes'])} choices of exclusion rules the systems stand "
            "in the same order as under all rules."
        )
    else:
        sentences.append(f"Scores under other choices of rules: {worlds['refused']}")
    return Part("exclusions", "Exclusions", tuple(sentences), tuple(tables), ("multiverse",))


def _multiverse(found: dict[str, Any], results: Results) -> Table:
    scale = scale_of(results)
    worlds = sorted(found["universes"], key=lambda world: (len(world["rules"]), world["rules"]))
    shown = worlds[:PLOTTED_RULES]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (", ".join(world["rules"]) or "none", sum(world["ratings"]), *scaled(world["scores"], scale)) for world in shown
    )
    columns = (
        Column("Rules applied"), Column("Ratings"), *(Column(name, scale.digits + 1) for name in found["systems"]),
    )  # fmt: skip
    notes = (
        (f"The first {len(shown)} of {len(worlds)}; all of them are on the plot.",) if len(shown) < len(worlds) else ()
    )
    return Table("multiverse", f"{scale.name} under choices of exclusion rules", columns, rows, notes)


def quality(results: Results) -> Part:
    """Return agreement, traps and drift."""
    found, agree = section(results, "quality"), section(results, "agreement")
    tables, sentences = [], []
    if is_there(agree):
        rows: list[tuple[Cell, ...]] = [
            (name_of(row), row["alpha"], row["low"], row["high"], row["units"], row["ratings"])
            for row in agree["alpha"]
        ]
        heads = (Column("α", 3), Column("Low", 3), Column("High", 3), Column("Clips"), Column("Ratings"))
        metric = agree["alpha"][0]["metric"] if agree["alpha"] else ""
        title = f"Krippendorff’s alpha ({metric})"
        tables.append(Table("alpha", title, (Column("System"), *heads), tuple(rows), tuple(agree["notes"])))
        sentences += [f"Fleiss’ kappa: {agree['fleiss']:.3f}."] if agree["fleiss"] is not None else []
        if agree["cohen"] is not None:
            sentences.append(
                f"Cohen’s kappa, mean over {agree['cohen_pairs']:,} pairs of raters: {agree['cohen']:.3f}."
            )
        sentences += [_halves(agree["halves"])] if agree["halves"] else []
    else:
        sentences.append(f"Agreement: {agree['refused']}")
    if is_there(found):
        traps = tuple((row["label"], row["asked"], row["right"], 100 * row["share"]) for row in found["traps"])
        columns = (Column("Check"), Column("Asked"), Column("Right"), Column("%", 1))
        tables += [Table("checks", "Traps and golden questions", columns, traps)] if traps else []
        if found["guesser"] is not None:
            sentences.append(f"A pure guesser passes a batch with probability {100 * found['guesser']:.1f} %.")
        slope = found["slope"]
        if slope:
            sentences.append(
                f"Drift: the score changes by {slope['mean']:+.4f} with each place in the session "
                f"[{slope['low']:+.4f}, {slope['high']:+.4f}], adjusted for systems."
            )
        sentences += found["notes"]
    else:
        sentences.append(found["refused"])
    return Part("quality", "Agreement and data quality", tuple(sentences), tuple(tables), ("drift",))


def _halves(found: dict[str, Any]) -> str:
    return (
        f"Two halves of the raters order the {found['n']} systems with a Kendall distance of {found['distance']:.3f} "
        f"(p {found['p']:.3f}, {found['method']}; the smallest p possible is {found['smallest_p']:.3f})."
    )


def times(results: Results) -> Part:
    """Return seconds per clip."""
    found = section(results, "times")
    if not is_there(found):
        return Part("times", "Times", refused=found["refused"])
    keys = ("response_median", "response_mean", "decision_median", "decision_mean")
    rows = tuple((name_of(row), row["clips"], *(row[key] for key in keys)) for row in found["rows"])
    heads = ("Response, median", "Response, mean", "Decision, median", "Decision, mean")
    columns = (Column("System"), Column("Clips heard"), *(Column(head, 1) for head in heads))
    notes = (
        "Response: from the clip shown to the answer. Decision: from the end of the first full play. "
        "A screen is divided by its clips.",
    )
    return Part("times", "Times", (), (Table("times", "Seconds per clip", columns, rows, notes),), ("times",))


def answers(results: Results) -> Part:
    """Return how often each code was given."""
    found = section(results, "breakdowns")
    tables, plots = [], []
    for table in found.get("tables", []):
        by = next((key for key in ("system", "domain", "overall") if table["groups"].get(key)), "")
        groups = [group for group in table["groups"].get(by, []) if group["of"]]
        if not groups:
            continue
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (line["label"], *(100 * group["counts"][at] / group["of"] for group in groups))
            for at, line in enumerate(table["lines"])
        )
        what = "all usable answers" if not table["per"] else "all questions answered"
        columns = (Column(table["title"]), *(Column(f"{name_of(group)} (n {group['of']:,})", 1) for group in groups))
        tables.append(Table(f"shares_{table['part']}", f"{table['title']} in percent of {what}", columns, rows))
        plots.append(f"shares-{table['part']}")
    refused = "" if tables else found.get("refused", "This task has no codes to count.")
    return Part("answers", "Answers", (), tuple(tables), tuple(plots), refused=refused)


def metrics(results: Results) -> Part:
    """Return external metrics beside people's scores."""
    found = section(results, "metrics")
    listed = found.get("tables", [])
    if not listed:
        return Part("metrics", "External metrics", refused=found.get("refused", "None was imported."))
    scale = scale_of(results)
    systems = {row["name"]: row for table in listed for row in table["systems"]}
    means = [{row["name"]: row["mean"] for row in table["systems"]} for table in listed]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name_of(row), *scaled([row["score"]], scale), *(mean.get(name) for mean in means))
        for name, row in systems.items()
    )
    notes = tuple(f"{table['name']}: {_correlated(table)}" for table in listed)
    columns = (Column("System"), Column(scale.title, scale.digits + 1), *(Column(table["name"], 3) for table in listed))
    return Part("metrics", "External metrics", (), (Table("metrics", "Means by system", columns, rows, notes),))


def _correlated(table: dict[str, Any]) -> str:
    said = []
    for unit in ("clip", "system"):
        found = table[unit]
        if is_there(found):
            pair = f"Pearson r {found['pearson']:.3f}, Spearman ρ {found['spearman']:.3f}"
            said.append(f"{pair} over {found['n']} {unit}s")
        else:
            said.append(f"by {unit} {found['refused'][:1].lower()}{found['refused'][1:].rstrip('.')}")
    return "; ".join(said) + "."


def _setting(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
