"""Texts and voices of the demo: only data."""

from __future__ import annotations

from dataclasses import dataclass

LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Voice:
    """One setting of the synthesiser; `voice` is a language of espeak-ng with a variant, `pace` in words a minute."""

    system: str
    label: str
    voice: str
    pitch: int = 50
    pitch_range: int = 50
    pace: int = 165
    domain: str = "open"


# The protocol requires a system named `human`. No person was recorded, and the voice's name says so.
STAND_IN = Voice("human", "stand-in (synthetic)", "en-gb-x-rp+f2", pitch=55, pitch_range=75, pace=165, domain="human")
SYSTEMS = (
    Voice("alder", "alder-m", "en-us+m1", pitch=45, pitch_range=45, pace=170, domain="commercial"),
    Voice("birch", "birch-m", "en-gb-scotland+m3", pitch=35, pitch_range=60, pace=165),
    Voice("cedar", "cedar-k", "en-us+klatt4", pitch=30, pitch_range=20, pace=160),
)
BROKEN = Voice("flawed", "broken", "en-us+m1", pitch=40, pitch_range=10, pace=165)

# The other texts of each dimension are black-box.
WHITE_TEXTS = 6
TEXTS: dict[str, tuple[str, ...]] = {
    "statements": (
        "The ferry leaves the harbour at seven and comes back after dark.",
        "My sister keeps three hives of bees behind the old garage.",
        "We walked along the canal until the rain became too heavy.",
        "The baker sets the first loaves aside for the people next door.",
        "Nobody had told the new teacher that the stairs were closed.",
        "The map was folded so often that the village had worn away.",
        "In late August the tomatoes ripen faster than we can eat them.",
        "He tuned the guitar twice, and it still sounded a little flat.",
    ),
    "questions": (
        "Did you remember to water the plants before you left?",
        "Which of these two roads goes down to the station?",
        "Would you like to sit by the window or near the door?",
        "How long does it usually take to learn a song by heart?",
        "Have they really painted the whole bridge in one weekend?",
        "Could you hold this ladder while I reach for the lamp?",
        "Why does the clock in the kitchen always run so fast?",
        "Is there any soup left, or did the children finish it?",
    ),
}
HUMAN_TRAPS = (
    "The last bus was late, so we shared a taxi with a stranger.",
    "Please leave the parcel with the neighbour on the second floor.",
    "When the snow melted we found the glove under the hedge.",
    "Can you hear the owl that lives in the tower of the church?",
    "She laughed, put the letter away, and never spoke of it again.",
    "Are the shops in the main street open on a public holiday?",
    "The orchestra stopped because somebody had locked the piano.",
    "Who left the radio on all night in the empty workshop?",
)
FLAWED_TRAPS = {
    "crushed": "The museum opens late on Thursdays and closes at noon on Sundays.",
    "chopped": "Our train crosses the border just before the sun comes up.",
    "reversed": "There was a long queue for coffee at the end of the corridor.",
    "rushed": (
        "A fisherman told us where the seals come to rest, and a farmer told us where the deer come to drink, "
        "and the postman told us that neither had ever told a stranger the truth."
    ),
    "ringing": "The gardener planted a row of pears along the southern wall.",
    "stuck": "Every spring the river rises above the lower meadow.",
}
