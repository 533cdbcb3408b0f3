"""How tables are written."""

from __future__ import annotations

import csv
import io

import pytest

from analysis.papers.index import tables
from analysis.sections.tables import Column, Table, latex, markdown
from core.errors import NotFound

EVIL = r"\input{/etc/passwd} $x$ & 100 % #1 a_b ~ ^ | *new* [link](http://x) <b>" + "\nnext"
TABLE = Table(
    "t", f"A title {EVIL}", (Column("System"), Column("Score", 2)), (("=1+1", 0.125), (EVIL, -0.001), ("[x]", None))
)


def test_csv_holds_numbers_in_full_and_nothing_that_a_spreadsheet_computes() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows[1] == ["'=1+1", "0.125"]
    assert rows[2] == [EVIL, "-0.001"]
    assert rows[3] == ["[x]", ""]


def test_people_read_rounded_numbers_no_minus_before_zero_and_a_dash_for_nothing() -> None:
    assert [row[1] for row in TABLE.shown()] == ["0.12", "0.00", "–"]
    assert Column("x", 1).shown(-2.25) == "−2.2"


def test_markdown_keeps_one_line_a_row_and_reads_nothing_into_names() -> None:
    lines = TABLE.markdown().splitlines()
    assert lines[3] == "|---|---:|"
    assert len(lines) == 7
    assert r"\| \*new\* \[link\](http://x) \<b\> next |" in lines[5]


def test_latex_shows_every_special_character_as_it_is() -> None:
    written = latex(EVIL)
    assert written.startswith(r"\textbackslash{}input\{/etc/passwd\} \$x\$ \& 100 \% \#1 a\_b \textasciitilde{}")
    assert r"\textasciicircum{} | {*}new{*} {[}link](http://x) \textless{}b\textgreater{} next" in written
    assert r"{[}x] & – \\" in TABLE.latex()


def test_breaks_and_controls_become_spaces() -> None:
    assert markdown("a\x00\r\nb\u2028c") == latex("a\x00\r\nb\u2028c") == "a b c"


def test_a_row_must_fit_its_columns() -> None:
    with pytest.raises(ValueError, match="needs 2 cells"):
        Table("t", "", (Column("a"), Column("b")), (("only one",),))


def test_an_unknown_paper_is_named() -> None:
    with pytest.raises(NotFound, match="known are att, hfr, sp-mcqa"):
        tables("mos", [])
