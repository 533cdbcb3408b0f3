"""How experts code what raters wrote: which answers, how many of them twice, and the study's own codes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from core.spec import Spec, labels

Polarity = Literal["", "human", "machine"]
POLARITIES: tuple[Polarity, ...] = ("", "human", "machine")
CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")
LONGEST = {"name": 100, "dimension": 100, "about": 500}


@dataclass(frozen=True, slots=True)
class Code:
    """A code that experts may give to a text; with a polarity, it is always a cue of that kind."""

    code: str
    name: str
    dimension: str = ""
    about: str = ""
    polarity: Polarity = ""


class CodingSettings(Spec):
    """Whether experts code the reasons; it belongs to the study, not to its versions, and applies at once."""

    mode: Literal["off", "all", "share"] = Field(
        "off",
        title="Coding of reasons",
        json_schema_extra=labels(off="Off", all="All reasons", share="A random share"),
        description="Which reasons and comments experts code: all in random order, or a random share of them.",
    )
    share: float = Field(
        0.25, gt=0, le=1, description="The share that is coded, where experts code a random share of them."
    )
    double_share: float = Field(
        0.2, ge=0, le=1, description="Random share that two experts code, for the kappa of each code."
    )
    built_in: bool = Field(
        True,
        description="Offer the codes of the ATT paper’s Table 5 for reasons, and Noise, Proper noun, Speed and Number "
        "for the comments of questions.",
    )
    codes: tuple[str, ...] = Field(
        (),
        max_length=60,
        description="The study’s own codes, one a line: code | Name | Dimension | what it means | human or machine. "
        "All after the name may be left out; the last says that the code always is a cue of that kind. "
        "A code that is taken out is offered no more, and what was coded with it stays.",
    )
    simulated: bool = Field(False, description="Also code texts of simulated raters, to test the pages.")

    @field_validator("codes")
    @classmethod
    def can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        known: set[str] = set()
        for line in lines:
            code = parse(line).code
            if code in known:
                raise ValueError(f"the code “{code}” is there twice")
            known.add(code)
        return lines

    @property
    def own(self) -> tuple[Code, ...]:
        """Return the study's own codes."""
        return tuple(parse(line) for line in self.codes)


def parse(line: str) -> Code:
    """Read one line of a codebook; raises `ValueError` with what is wrong."""
    parts = [unicodedata.normalize("NFC", part.strip()) for part in line.split("|")]
    if not 2 <= len(parts) <= 5:
        raise ValueError(f"write “{line}” as: code | Name | Dimension | what it means | human or machine")
    code, name, dimension, about, polarity = (parts + [""] * 3)[:5]
    if not CODE.fullmatch(code):
        raise ValueError(f"“{code}” is no code: use up to 40 small letters, digits and underscores, a letter first")
    if not name:
        raise ValueError(f"the code “{code}” has no name")
    for part, text in {"name": name, "dimension": dimension, "about": about}.items():
        if len(text) > LONGEST[part]:
            raise ValueError(f"in the line of “{code}”, the {part} is longer than {LONGEST[part]} characters")
    if polarity not in POLARITIES:
        raise ValueError(f"“{polarity}” is no polarity of “{code}”: write human, machine, or nothing")
    return Code(code, name, dimension, about, polarity)
