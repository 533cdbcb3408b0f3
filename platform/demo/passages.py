"""Passages of the demo with their questions: only data. The first answer is right; the others are (answer, error)."""

from __future__ import annotations

from dataclasses import dataclass

Distractors = tuple[tuple[str, str], ...]
# Codes of errors, as in a list of questions.
PHONETIC, SEMANTIC, SYNTAX = "phonetic", "semantic", "syntax"


@dataclass(frozen=True, slots=True)
class Question:
    """A question on a passage, or one that anybody can answer."""

    prompt: str
    correct: str
    distractors: Distractors


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to synthesise, and what is asked about it."""

    text: str
    questions: tuple[Question, ...]


PASSAGES = (
    Passage(
        "The town of Marlow has approved a bridge for cyclists across the northern canal. It will cost fifteen million "
        "and open in the spring of next year. Councillor Hale said that the old tunnel would stay open for walkers.",
        (
            Question(
                "How much will the bridge cost?", "15 million", (("50 million", PHONETIC), ("1.5 million", SEMANTIC))
            ),
            Question("Who may still use the tunnel?", "Walkers", (("Workers", PHONETIC), ("Cyclists", SEMANTIC))),
        ),
    ),
    Passage(
        "A storm closed the port of Calden on Tuesday night. Nine ships waited outside the harbour until Thursday, and "
        "two of them lost part of their cargo. Nobody was hurt, the harbour master Ruth Dean reported.",
        (
            Question(
                "When did the port close?",
                "On Tuesday night",
                (("On Thursday night", PHONETIC), ("On Thursday", SEMANTIC)),
            ),
            Question("How many ships waited outside?", "Nine", (("Five", PHONETIC), ("Two", SEMANTIC))),
        ),
    ),
    Passage(
        "The museum of Hartfield bought a painting by Anna Brandt for eighty thousand. It shows her sister at a piano. "
        "From the sixth of March, visitors can see it in the hall on the first floor.",
        (
            Question(
                "Whom does the painting show?",
                "The painter's sister",
                (("The painter's mister", PHONETIC), ("The painter", SYNTAX)),
            ),
            Question("From when can it be seen?", "6 March", (("6 May", PHONETIC), ("16 March", PHONETIC))),
        ),
    ),
    Passage(
        "Farmers in the Olden valley expect a third less fruit this year. A late frost in April damaged the cherry "
        "trees, while apples suffered little. Prices will rise in July, according to the growers' union.",
        (
            Question(
                "Which trees did the frost damage?",
                "Cherry trees",
                (("Berry bushes", PHONETIC), ("Apple trees", SEMANTIC)),
            ),
            Question("When will prices rise?", "In July", (("In June", PHONETIC), ("In April", SEMANTIC))),
        ),
    ),
    Passage(
        "The night train from Bergen to Oslo will run again from the twelfth of June. It has thirteen coaches and one "
        "for bicycles. A ticket with a bed costs ninety, and a seat costs forty.",
        (
            Question(
                "How many coaches does the train have, without the one for bicycles?",
                "Thirteen",
                (("Thirty", PHONETIC), ("Twelve", SEMANTIC)),
            ),
            Question("What does a seat cost?", "Forty", (("Fourteen", PHONETIC), ("Ninety", SEMANTIC))),
        ),
    ),
    Passage(
        "Doctor Mary Lind has counted seals along the western coast for twenty years. Last winter she found sixty "
        "pups, twice as many as the year before. She thinks that warmer water has brought more herring.",
        (
            Question("How many pups did she find last winter?", "Sixty", (("Sixteen", PHONETIC), ("Thirty", SEMANTIC))),
            Question(
                "What has warmer water brought?", "More herring", (("More hearing", PHONETIC), ("More seals", SYNTAX))
            ),
        ),
    ),
    Passage(
        "The library in Stone Street closes for repairs on Monday. Readers can borrow books at the school in Mill Lane "
        "until the roof is mended in October. The reading group meets at the baker's on Fridays.",
        (
            Question(
                "Where can readers borrow books?",
                "At the school in Mill Lane",
                (("At the school in Hill Lane", PHONETIC), ("At the baker's", SEMANTIC)),
            ),
            Question("What is repaired?", "The roof", (("The room", PHONETIC), ("The street", SYNTAX))),
        ),
    ),
    Passage(
        "Rowers from Kent won the regatta for the fourth time. They finished two seconds before the crew from Wales, "
        "who had led until the last bend. Third place went to a club from Cork, founded only in May.",
        (
            Question(
                "Who led until the last bend?",
                "The crew from Wales",
                (("The crew from Whales", PHONETIC), ("The rowers from Kent", SYNTAX)),
            ),
            Question(
                "When was the club from Cork founded?", "In May", (("In March", PHONETIC), ("Four years ago", SEMANTIC))
            ),
        ),
    ),
)
GOLDEN = (
    Question("How many days are in a week?", "Seven", (("Eleven", ""), ("Four", ""))),
    Question("Which of these is an animal?", "A horse", (("A house", ""), ("A hose", ""))),
    Question("Which month comes after March?", "April", (("August", ""), ("May", ""))),
)
