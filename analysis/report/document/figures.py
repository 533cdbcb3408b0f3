"""The parts of a report that hold scores, models and comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.plots.words import Scale, scale_of
from analysis.report.document.part import Part
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table

Results = dict[str, Any]
GROUPINGS = {
    "system": "System", "domain": "Domain", "benchmark": "Benchmark", "condition": "Condition",
    "dimension": "Dimension", "box": "Box", "voice": "Voice",
}  # fmt: skip
SMALLEST = 0.001
VERDICTS = {"non_inferior": "not inferior", "inferior": "inferior", "undecided": "undecided", "": None}


def name_of(row: dict[str, Any]) -> str:
    """Return a group's name as people read it."""
    name = "Human" if row.get("kind") == "human" else row["name"] or "All"
    return f"{name} (anchor)" if row.get("kind") == "anchor" else name


def scores(results: Results) -> Part:
    """Return scores with the default interval, the paper's beside it, and without the trap rule."""
    found = section(results, "scores")
    if not is_there(found):
        return Part("scores", "Scores", refused=found["refused"])
    scale = scale_of(results)
    tables = [_scores(by, found["by"][by], scale) for by in GROUPINGS if found["by"].get(by)]
    plots = ("scores", "dimensions", "benchmarks", "figure2a", "figure2b")
    return Part("scores", "Scores", tuple(found["notes"]), tuple(tables), plots)


def _scores(by: str, groups: list[dict[str, Any]], scale: Scale) -> Table:
    digits = scale.digits + 1
    titles = ("Low", "High", "±, paper", "Without trap rule", "Mean of clip means")
    heads = (Column(GROUPINGS[by]), Column(scale.title, digits), *(Column(title, digits) for title in titles))
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        naive = next((each for each in group["comparisons"] if each["label"] == "paper"), None)
        half = None if naive is None else (naive["high"] - naive["low"]) / 2
        values = [group["mean"], group["low"], group["high"], half, group["without_traps"], group["clip_mean"]]
        label = f"{name_of(group)}, {group['system']}" if by == "voice" and group["system"] else name_of(group)
        rows.append((label, *scaled(values, scale), group["ratings"], group["raters"], group["clips"]))
    counts = (Column("Ratings"), Column("Raters"), Column("Clips"))
    notes = sorted({f"{name_of(group)}: {group['note']}" for group in groups if group["note"]})
    paper = ("±, paper: for comparison only; it takes all answers as independent.",) if by == "system" else ()
    return Table(f"scores_{by}", f"{scale.name} by {by}", (*heads, *counts), tuple(rows), (*notes, *paper))


def baseline(results: Results) -> Part:
    """Return how systems compare with human speech, and what raters could tell."""
    found, signal = section(results, "baseline"), section(results, "detection")
    scale = scale_of(results)
    digits = scale.digits + 1
    tables, sentences = [], []
    if is_there(found):
        human = found["human"]
        where = "test clips" if found["source"] == "test" else "traps of every full batch, valid or not"
        mean = f"{scale.show(human['mean'])} {scale.interval(human['low'], human['high'])}".rstrip()
        sentences = [f"Human speech scored {mean}, from {where}.", *([found["note"]] if found["note"] else [])]
        margin = found["margin"]
        if margin is not None:
            sentences.append(f"The margin of non-inferiority, fixed before the launch, is {scale.show(margin)}.")
        rows = [
            (row["name"], *scaled([row["difference"], row["low"], row["high"]], scale), VERDICTS[row["verdict"]])
            for row in found["systems"]
        ]
        columns = (
            Column("System"), Column("Less human", digits), Column("Low", digits), Column("High", digits),
            Column("Verdict"),
        )  # fmt: skip
        tables += [Table("against_human", "Systems against human speech", columns, tuple(rows))] if rows else []
    else:
        sentences.append(found["refused"])
    if is_there(signal):
        tables.append(_detection(signal))
    else:
        sentences.append(signal["refused"])
    return Part("human", "Against human speech", tuple(sentences), tuple(tables))


def _detection(found: dict[str, Any]) -> Table:
    titles = ("d′", "d′ low", "d′ high", "Criterion", "AUC", "AUC low", "AUC high")
    keys = ("d_prime", "d_prime_low", "d_prime_high", "criterion", "auc", "auc_low", "auc_high")
    parts = (found["overall"], *found["systems"])
    rows = [
        (row["name"] or "All systems", *(row[key] for key in keys), row["human"], row["synthetic"]) for row in parts
    ]
    # Analyses of earlier releases have no notes.
    notes = sorted({f"{row['name'] or 'All systems'}: {row['note']}" for row in parts if row.get("note")})
    columns = (Column("Against"), *(Column(title, 2) for title in titles), Column("Human"), Column("Synthetic"))
    return Table("detection", "Telling human from synthetic speech", columns, tuple(rows), tuple(notes))


def contrasts(results: Results) -> Part:
    """Return all pairs, tiers and ranks."""
    found = section(results, "contrasts")
    if not is_there(found):
        return Part("contrasts", "Contrasts, tiers and ranks", refused=found["refused"])
    scale = scale_of(results)
    digits = scale.digits + 1
    names = {tier["name"]: name_of(tier) for tier in found["tiers"]}
    pairs = tuple(
        (
            names.get(pair["first"], pair["first"]),
            names.get(pair["second"], pair["second"]),
            *scaled([pair[key] for key in ("difference", "low", "high", "low_all", "high_all")], scale),
            pair["p"] if pair["p"] >= SMALLEST else f"<{SMALLEST}",
        )
        for pair in found["pairs"]
    )
    heads = ("Difference", "Low", "High", "Low, all pairs", "High, all pairs")
    columns = (Column("First"), Column("Second"), *(Column(head, digits) for head in heads), Column("p, adjusted", 3))
    tiers = tuple(
        (name_of(tier), *scaled([tier["mean"]], scale), tier["letters"], *(float(share) for share in tier["ranks"]))
        for tier in found["tiers"]
    )
    most = max((len(tier["ranks"]) for tier in found["tiers"]), default=0)
    tiers = tuple(row for row in tiers if len(row) == 3 + most)
    ranks = (Column(f"P(rank {place})", 2) for place in range(1, most + 1))
    letters = Table(
        "tiers", "Tiers and ranks", (Column("System"), Column(scale.title, digits), Column("Tier"), *ranks), tiers,
        ("Two systems share a letter exactly when they don’t differ; tiers may overlap.",),
    )  # fmt: skip
    sentences = (
        [f"Left out, with too few raters or clips: {', '.join(found['left_out'])}."] if found["left_out"] else []
    )
    # Analyses of earlier releases don't say.
    sentences += [found["scope"]] if found.get("scope") else []
    all_pairs = Table(
        "contrasts", f"Differences in {scale.name}", columns, pairs,
        ("Low and high, all pairs: intervals that hold for all pairs together.",),
    )  # fmt: skip
    plots = ("contrasts", "ranks")
    return Part("contrasts", "Contrasts, tiers and ranks", tuple(sentences), (letters, all_pairs), plots)


def scaled(values: Iterable[float | None], scale: Scale) -> list[float | None]:
    """Return values in the units that people read."""
    return [None if value is None else scale.factor * value for value in values]
