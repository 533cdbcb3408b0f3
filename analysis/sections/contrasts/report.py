"""Tiers and all pairs, in the report."""

from __future__ import annotations

from analysis.sections.parts import Part, name_of, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table

SMALLEST = 0.001


def part(results: Results) -> Part:
    """Return all pairs, tiers and ranks."""
    contrasts = results.contrasts
    if isinstance(contrasts, Refusal):
        return Part("contrasts", "Contrasts, tiers and ranks", refused=contrasts.refused)
    scale = scale_of(results)
    digits = scale.digits + 1
    names = {tier.name: name_of(tier) for tier in contrasts.tiers}
    pairs = tuple(
        (
            names.get(pair.first, pair.first),
            names.get(pair.second, pair.second),
            *scaled([pair.difference, pair.low, pair.high, pair.low_all, pair.high_all], scale),
            pair.p if pair.p >= SMALLEST else f"<{SMALLEST}",
        )
        for pair in contrasts.pairs
    )
    heads = ("Difference", "Low", "High", "Low, all pairs", "High, all pairs")
    columns = (Column("First"), Column("Second"), *(Column(head, digits) for head in heads), Column("p, adjusted", 3))
    tiers = tuple(
        (name_of(tier), *scaled([tier.mean], scale), tier.letters, *(float(share) for share in tier.ranks))
        for tier in contrasts.tiers
    )
    most = max((len(tier.ranks) for tier in contrasts.tiers), default=0)
    tiers = tuple(row for row in tiers if len(row) == 3 + most)
    ranks = (Column(f"P(rank {place})", 2) for place in range(1, most + 1))
    letters = Table(
        "tiers", "Tiers and ranks", (Column("System"), Column(scale.title, digits), Column("Tier"), *ranks), tiers,
        ("Two systems share a letter exactly when they don’t differ; tiers may overlap.",),
    )  # fmt: skip
    sentences = (
        [f"Left out, with too few raters or clips: {', '.join(contrasts.left_out)}."] if contrasts.left_out else []
    )
    # Analyses of earlier releases don't say.
    sentences += [contrasts.scope] if contrasts.scope else []
    all_pairs = Table(
        "contrasts", f"Differences in {scale.name}", columns, pairs,
        ("Low and high, all pairs: intervals that hold for all pairs together.",),
    )  # fmt: skip
    plots = ("contrasts", "ranks")
    return Part("contrasts", "Contrasts, tiers and ranks", tuple(sentences), (letters, all_pairs), plots)
