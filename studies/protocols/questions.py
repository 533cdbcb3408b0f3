"""What questions on a passage may be like (SP-MCQA paper, section 3)."""

from __future__ import annotations

FEWEST, MOST = 2, 10
MOST_DISTRACTORS = 5
# What a listener who chooses a distractor was misled by.
ERRORS = {"phonetic": "Phonetic", "semantic": "Semantic", "syntax": "Syntax", "grammar": "Grammar"}
