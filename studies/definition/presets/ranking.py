"""Ranking of several systems by elimination, after Kayyar et al. (2023); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _sets

INSTRUCTIONS = (
    "You will hear a few recordings of the same words. Listen to all of them from beginning to end, as often as you "
    "like. Then remove the one that sounds worst, and continue with the others until one is left.\n\n"
    "There is no right answer. When several sound almost alike, trust your first impression.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Ranking of several systems",
    "A few clips of one text at a time: raters remove the worst until one is left. The result is how often each system "
    "ranks above the others.",
    Definition(
        preset="ranking",
        task_type="sets",
        task=_sets.Params(
            answer="ranking", question="Which clip sounds worst? Remove it, and continue until one is left."
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 8, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
