"""Best–worst scaling, after Kiritchenko and Mohammad (2017); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _sets

INSTRUCTIONS = (
    "You will hear a few recordings of the same words. Listen to all of them from beginning to end, as often as you "
    "like, then say which one sounds best and which one sounds worst.\n\n"
    "There is no right answer. When several sound almost alike, trust your first impression.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Best and worst of several systems (best–worst scaling)",
    "A few clips of one text at a time: which is best, which is worst? The result is how often each system is chosen "
    "as best rather than worst.",
    Definition(
        preset="bws",
        task_type="sets",
        task=_sets.Params().model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 8, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
