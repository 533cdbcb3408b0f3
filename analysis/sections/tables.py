"""Tables of numbers: for reports, papers, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from core.text.numbers import fixed, whole

# Characters that start a formula, and those that a spreadsheet skips before them.
FORMULA = frozenset("=+-@")
CONTROLS = frozenset("\t\r\n\0")
Cell: TypeAlias = str | int | float | None
DASH = "–"
# Longer tables are only in files.
MOST_SHOWN = 500
# Characters with a meaning inside a line of Markdown; hyphens and points have none there.
MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&$]")
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # After the end of a row, LaTeX would take these as its arguments.
    "[": "{[}",
    "*": "{*}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "α": r"$\alpha$",
    "μ": r"$\mu$",
    "τ": r"$\tau$",
}
BREAKS = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
NAMED = "Human"


def neutral(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would evaluate (OWASP: CSV injection), full-width signs too."""
    if not text or text[0].isalnum():
        return text
    seen = text.lstrip().lstrip("\0\ufeff\u200b").lstrip()
    begins = unicodedata.normalize("NFKC", seen[:1])
    return f"'{text}" if text[:1] in CONTROLS or begins[:1] in FORMULA else text


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and the number of decimals of its numbers; None for text and counts."""

    title: str
    digits: int | None = None

    def shown(self, cell: Cell) -> str:
        """Return a cell as people read it; a dash for an empty or withheld one."""
        if cell is None or cell == "":
            return DASH
        if isinstance(cell, float):
            written = fixed(cell, self.digits or 0)
            return written.replace("-", "−") if float(written) else written.lstrip("-")
        return str(cell).replace("-", "−") if isinstance(cell, int) else cell


def titled(*titles: str, digits: int | None = None) -> tuple[Column, ...]:
    """Return a column for each title, each rounded to `digits` decimals."""
    return tuple(Column(title, digits) for title in titles)


@dataclass(frozen=True, slots=True)
class Table:
    """A named table: `rows` with unrounded numbers, `notes` for readers, one sentence each.

    Without rows, only the notes are shown.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = field(default=())
    # The (row, column) of numbers that people read with a star; CSV has the number only.
    starred: tuple[tuple[int, int], ...] = ()
    # What people read instead of codes; CSV has the codes.
    words: Mapping[str, str] = field(default_factory=dict)
    # The rows are only in files, however few.
    only_files: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"each row of {self.name} needs {len(self.columns)} cells")

    @property
    def is_shown(self) -> bool:
        """True if pages and reports show the rows, not only the files of tables."""
        return bool(self.rows) and not self.only_files and len(self.rows) <= MOST_SHOWN

    @property
    def elsewhere(self) -> str:
        """A sentence on where the rows are; empty if pages and reports show them, or there are none."""
        if self.is_shown or not self.rows:
            return ""
        words = _("All {n} rows are in {file}, among the tables of the analysis.")
        return words.format(n=whole(len(self.rows)), file=f"{self.name}.csv")

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> Table:
        """Return a table from its `as_json`."""
        columns = tuple(Column(**column) for column in stored["columns"])
        rows = tuple(map(tuple, stored["rows"]))
        # Tables of earlier releases have no stars, no words and nothing only in files.
        starred = tuple((down, across) for down, across in stored.get("starred", ()))
        words = stored.get("words", {})
        only_files = stored.get("only_files", False)
        return cls(stored["name"], stored["title"], columns, rows, tuple(stored["notes"]), starred, words, only_files)

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def shown(self) -> list[list[str]]:
        """Return the rows as people read them."""
        return [
            [self._shown(cell, across) + "*" * ((down, across) in self.starred) for across, cell in enumerate(row)]
            for down, row in enumerate(self.rows)
        ]

    def _shown(self, cell: Cell, across: int) -> str:
        return self.columns[across].shown(self.words.get(cell, cell) if isinstance(cell, str) else cell)

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """The headings, and whether each column contains text; a limit such as <0.001 among numbers is none."""
        return [
            (column.title, column.digits is None and any(isinstance(row[at], str) for row in self.rows))
            for at, column in enumerate(self.columns)
        ]

    @property
    def is_text(self) -> bool:
        """True if every column contains text, so that rows can be stacked on a narrow screen."""
        return all(is_words for _, is_words in self.heads)

    @property
    def cells(self) -> list[list[tuple[str, bool, str]]]:
        """The rows as people read them; each cell with a flag for text columns, and its column's heading."""
        heads = self.heads
        return [
            [(cell, is_words, head) for cell, (head, is_words) in zip(row, heads, strict=True)] for row in self.shown()
        ]

    def csv(self) -> str:
        """Return the table as CSV: full numbers, empty cells for None, and text that no spreadsheet evaluates."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([neutral(column.title) for column in self.columns])
        for row in self.rows:
            writer.writerow(["" if cell is None else neutral(cell) if isinstance(cell, str) else cell for cell in row])
        return file.getvalue()

    def markdown(self) -> str:
        """Return the table with its title above and its notes below, in the Markdown of GitHub and pandoc."""
        lines = [f"**{markdown(self.title)}**"]
        if self.rows:
            lines += ["", "| " + " | ".join(markdown(column.title) for column in self.columns) + " |"]
            lines.append("|" + "|".join("---" if is_words else "---:" for _, is_words in self.heads) + "|")
            lines += ["| " + " | ".join(markdown(cell) for cell in row) + " |" for row in self.shown()]
        return "\n".join([*lines, *(line for note in self.notes for line in ("", markdown(note)))]) + "\n"

    def latex(self) -> str:
        """Return a `table` that needs the package booktabs."""
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{latex(self.title)}}}", rf"\label{{tab:{self.name}}}"]
        if self.rows:
            places = "".join("l" if is_words else "r" for _, is_words in self.heads)
            heads = _line([column.title for column in self.columns])
            lines += [rf"\begin{{tabular}}{{{places}}}", r"\toprule", heads, r"\midrule"]
            lines += [*map(_line, self.shown()), r"\bottomrule", r"\end{tabular}"]
        lines += [rf"\par\smallskip\footnotesize {latex(note)}" for note in self.notes]
        return "\n".join([*lines, r"\end{table}"]) + "\n"


def markdown(text: str) -> str:
    """Escape text for Markdown (rule G5)."""
    return MARKDOWN.sub(r"\\\g<0>", BREAKS.sub(" ", text))


def latex(text: str) -> str:
    """Escape any text for LaTeX (rule G5)."""
    return "".join(LATEX.get(character, character) for character in BREAKS.sub(" ", text))


def _line(cells: list[str]) -> str:
    return " & ".join(latex(cell) for cell in cells) + r" \\"
