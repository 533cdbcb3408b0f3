"""The granular Human Fooling Rate as its paper runs it; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets import general
from studies.definition.presets.hfr import LISTENING, PROTOCOL, SCREENING, SOURCES
from studies.definition.settings import recruitment
from studies.rules.parameters import Protocol
from studies.task_types import hfr_granular

MARKING = (
    "When you choose **Machine**, also mark what gave it away. "
    "Mark everything you noticed, and nothing that you didn't: one mark is enough."
)

PRESET = Preset(
    "Granular Human Fooling Rate (HFR with markers)",
    "Human / Machine on single clips, heard whole; with Machine, one or more of nine markers of what gave it away.",
    Definition(
        preset="hfr-granular",
        task_type="hfr_granular",
        task=hfr_granular.Params().model_dump(mode="json"),
        # 15 raters, each on all 30 utterances, in the paper; here nobody hears a text twice, so more raters come.
        protocol=Protocol.model_validate({**PROTOCOL, "ratings_wanted": 15, "quota_raters": 15}),
        texts=general.texts(f"{LISTENING}\n\n{MARKING}"),
        recruitment=recruitment.HFR,
        screening=SCREENING,
    ),
    {
        **SOURCES,
        **dict.fromkeys(
            ("protocol.ratings_wanted", "protocol.quota_raters", "task.markers_required"), "HFR paper, section 4.4"
        ),
    },
)
