"""Other choices of exclusion rules: a table on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.plots.words import Scale
from analysis.sections.multiverse import Multiverse
from analysis.sections.parts import enumerated, scaled
from analysis.sections.tables import Cell, Table, titled
from raters.rating.rule_names import rule_name


def table(multiverse: Multiverse, scale: Scale) -> Table:
    """Return the scores under all sets of exclusion rules, and the ratings of each system."""
    worlds = sorted(multiverse.universes, key=lambda world: (len(world.rules), world.rules))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_codes(world.rules), sum(world.ratings), *scaled(world.scores, scale), *world.ratings) for world in worlds
    )
    names = [_("Human") if name == HUMAN else name for name in multiverse.systems]
    columns = (
        *titled(_("Rules applied"), _("Ratings")),
        *titled(*names, digits=scale.digits + 1),
        *titled(*(_("Ratings of {name}").format(name=name) for name in names)),
    )
    words = {_codes(world.rules): enumerated([rule_name(rule) for rule in world.rules]) for world in worlds}
    title = _("{score} under choices of exclusion rules").format(score=scale.name)
    notes = (_("Scores only: no interval is valid across choices."),)
    return Table("multiverse", title, columns, rows, notes, words={**words, "none": _("none")})


def _codes(rules: tuple[str, ...]) -> str:
    return ", ".join(rules) or "none"
