"""Seven dimensions of quality (ITU-T P.804 as extended by the P.808 toolkit); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.definition.presets.p835 import OVRL, SIG
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

NOISINESS = Scale(name="Noisiness", question="How noisy was the recording?", labels=("Not noisy", "Noisy"))
LOUDNESS = Scale(
    name="Loudness",
    question="How was the loudness of the recording?",
    labels=("Optimal loudness", "Sub-optimal loudness"),
)
DISCONTINUITY = Scale(
    name="Discontinuity", question="How continuous was the speech?", labels=("Continuous", "Discontinuous")
)
COLORATION = Scale(
    name="Coloration", question="How colored was the sound of the voice?", labels=("Uncolored", "Colored")
)
REVERB = Scale(name="Reverb", question="How much reverb did the recording have?", labels=("No reverb", "High reverb"))

INSTRUCTIONS = (
    "Listen to each recording, then answer seven questions about it on one page. Play it as often as you like.\n\n"
    "Most questions are about one property of the sound only, such as its noise or its loudness. Answer each of them "
    "on its own. The last two are about the speech and about the recording as a whole.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Seven dimensions of quality (P.804)",
    "Each clip on noisiness, loudness, discontinuity, coloration, reverb, speech and overall quality, on one page.",
    Definition(
        preset="p804",
        task_type="scales",
        task=Params(
            scales=(NOISINESS, LOUDNESS, REVERB, DISCONTINUITY, COLORATION, SIG, OVRL),
            way="one_page",
            order="first_apart",
            last=2,
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
    sources={"task.way": "P.808 toolkit", "task.order": "P.808 toolkit"},
)
