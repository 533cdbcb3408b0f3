"""Speech, background and overall quality apart (ITU-T P.835; P.808, annex D); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import QUALITY, Params

SIG = Scale(
    name="SIG",
    question="Attend only to the speech. The speech signal was:",
    labels=("Not distorted", "Slightly distorted", "Somewhat distorted", "Fairly distorted", "Very distorted"),
)
BAK = Scale(
    name="BAK",
    question="Attend only to the background. The background was:",
    labels=(
        "Not noticeable",
        "Slightly noticeable",
        "Noticeable but not intrusive",
        "Somewhat intrusive",
        "Very intrusive",
    ),
)
OVRL = Scale(name="OVRL", question="Attend to the whole recording. The overall quality was:", labels=QUALITY)

INSTRUCTIONS = (
    "You will hear each recording three times. After each time you answer one question: about the speech, about the "
    "background, or about the recording as a whole.\n\n"
    "Answer only the question you see. Clear speech may have a loud background, and a quiet background may come with "
    "distorted speech. You can't go back to an earlier question.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Speech, background and overall quality (P.835)",
    "Three plays of each clip, and one question after each: speech (SIG), background (BAK), overall (OVRL).",
    Definition(
        preset="p835",
        task_type="scales",
        task=Params(scales=(SIG, BAK, OVRL)).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
    sources={"task.way": "ITU-T P.808, annex D", "task.order": "ITU-T P.808, annex D"},
)
