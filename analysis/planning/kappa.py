"""The texts that two experts decide on for an interval of kappa: by formula, at once, so nothing is stored."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from analysis.planning.inputs import KappaInputs
from studies.rules.agreement import pairs_needed

if TYPE_CHECKING:
    from studies.definition.definition import Definition


class KappaNeeds(NamedTuple):
    """The texts that both experts decide on, and those decided on in all where `double_share` of them are doubled."""

    pairs: int
    double_share: float
    texts: int | None


def needs(inputs: KappaInputs, definition: Definition) -> KappaNeeds:
    """Return the texts needed; `texts` is None if nothing is doubled."""
    is_coded = definition.coding.mode != "off"
    double_share = definition.coding.double_share if is_coded else definition.review.double_share
    pairs = pairs_needed(kappa=inputs.kappa, share=inputs.share, half_width=inputs.half_width)
    return KappaNeeds(pairs, double_share, ceil(pairs / double_share) if double_share else None)


def has_experts(definition: Definition) -> bool:
    """True if experts code or review texts, whose kappa is shown."""
    return definition.coding.mode != "off" or definition.review.mode != "off"
