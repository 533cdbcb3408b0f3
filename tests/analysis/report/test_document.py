"""The report as one HTML file and as PDF."""

from __future__ import annotations

import re
import socket
import sys
from collections import Counter
from html.parser import HTMLParser
from importlib.abc import MetaPathFinder
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from analysis.plots.canvas import Plot
from analysis.report import document
from analysis.sections.parts import Stretch, stretches
from analysis.sections.results import load
from analysis.sections.tables import Column, Table
from raters import sources
from raters.sources.prolific import ProlificSource
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.settings.crowd import Crowd
from tests.analysis.report.results import EVIL, nothing, results

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)
PLOT = Plot("scores", "HLS by system", f"Words with {EVIL}", "<svg xmlns='http://www.w3.org/2000/svg'/>", b"png")


def definition(preset: str = "att") -> Definition:
    definition = presets.by_name()[preset].definition
    # As a launch fixes it.
    return definition.model_copy(update={"audio": definition.audio.model_copy(update={"sample_rate": 48000})})


class Tags(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page() -> str:
    return document.html(load(results()), definition(), [PLOT])


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_page_holds_all_it_needs_and_no_script(page: str) -> None:
    tags = Tags(page).found
    assert "script" not in {tag for tag, _ in tags}
    addresses = [value for _, attributes in tags for name, value in attributes.items() if name in ("src", "href")]
    assert addresses
    assert all(str(address).startswith(("data:image/svg+xml;base64,", "#")) for address in addresses)
    assert not any(name.startswith("on") for _, attributes in tags for name in attributes)


def test_what_people_wrote_is_shown_as_they_wrote_it(page: str) -> None:
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; $x^2$ &amp; &quot;q&quot; &#x27;p&#x27;" in page


def test_every_link_of_the_contents_leads_somewhere(page: str) -> None:
    tags = Tags(page).found
    ids = {attributes["id"] for _, attributes in tags if "id" in attributes}
    links = {str(attributes["href"]).removeprefix("#") for tag, attributes in tags if tag == "a"}
    assert links
    assert links <= ids


def test_scores_stand_with_both_intervals_and_without_the_trap_rule(page: str) -> None:
    text = text_of(page)
    assert "Human 0.850 0.800 0.900 0.010 0.830 0.850 200 40 24" in text
    assert "±, paper: for comparison only" in text
    assert "alpha −0.450 −0.500 −0.400 inferior" in text
    assert "&lt;0.001" in page


def test_a_refused_section_says_why_and_nothing_else() -> None:
    page = document.html(load(nothing()), definition(), [])
    for name in ("design", "participants", "exclusions", "scores", "contrasts", "models", "times"):
        assert f"No {name} here." in page
    assert "There is no human speech." in document.html(load(results()), None, [])


def test_the_methods_text_is_filled_with_what_the_platform_knows(page: str) -> None:
    text = text_of(page)
    for sentence in (
        "Raters were recruited through Prolific from 2026-03-02 to",
        "Sessions by outcome: arrived (60); did not agree (5); agreed to take part (55)",
        "The server refused an answer before a clip could have been heard to its end",
        "Each clip could be played as often as wished",
        "of 12 texts in Mandarin Chinese, by 2 systems (alpha,",
        "They were normalised to −23 LUFS with a true peak of at most −1 dBTP",
        "16-bit WAV at 48 kHz, mono",
        "10 usable ratings were wanted for each clip. A rater was offered 3 batches of 10 items",
        "Each batch held 1 deliberately flawed and 2 human recordings as traps",
        "A pure guesser passes a batch with a probability of 18.5 %",
        "200 were excluded (batch failed its traps: 200 ratings of 18 raters)",
        "two-way clustering by raters and texts",
        "score ~ 0 + system + (1 | rater), Gaussian with identity link",
        "Earshot 1.0+abc ran the study “a-study” (version 1, 2)",
        "with seed 7",
    ):
        assert sentence in text
    assert "Listen to each clip from beginning to end" in text


@pytest.mark.parametrize(
    ("source", "words"),
    [("open", "an open link"), ("invite", "personal invitations"), ("template", "[state the platform]")],
)
def test_the_methods_text_says_in_words_where_raters_came_from(source: str, words: str) -> None:
    crowd = Crowd(source=source, return_url="")
    told = text_of(document.html(load(results()), definition().model_copy(update={"crowd": crowd}), []))
    assert f"Raters were recruited through {words} from" in told


def test_the_methods_text_calls_a_new_crowd_source_by_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sources, "all_sources", lambda: {"panel": type("Panel", (ProlificSource,), {"label": "The Panel"})()}
    )
    crowd = Crowd(source="panel", return_url="")
    told = text_of(document.html(load(results()), definition().model_copy(update={"crowd": crowd}), []))
    assert "Raters were recruited through The Panel from" in told


def test_what_only_the_authors_know_is_a_marked_blank(page: str) -> None:
    blanks = re.findall(r"<mark>(\[[Ss]tate [^<]*\])</mark>", page)
    assert len(blanks) == len(re.findall(r"\[[Ss]tate ", text_of(page)))
    for asked in ("pay", "countries", "first languages", "prescreeners", "headphones", "ethics"):
        assert any(asked in re.sub(r"\s+", " ", text) for text in [*blanks, text_of(page)])
    assert "[state the pay for a session and per hour, with that of those screened out]" in blanks


def test_without_a_definition_the_settings_are_blanks_too() -> None:
    text = text_of(document.html(load(results()), None, []))
    assert "[state the platform]" in text
    assert "[state traps, golden questions and their rule]" in text


@pytest.mark.parametrize(
    ("preset", "sentence"),
    [
        ("sp-mcqa", "One wrong answer to a golden question takes all of a rater’s answers out"),
        ("hfr", "A pause or a hidden page voided a play"),
        ("mushra", "There were no traps among the clips."),
    ],
)
def test_other_tasks_are_told_of_as_they_are(preset: str, sentence: str) -> None:
    assert sentence in text_of(document.html(load(nothing()), definition(preset), []))


def test_answers_of_simulated_raters_are_warned_of_at_the_top() -> None:
    made = results()
    made["study"]["simulated"] = "with"
    assert "Answers of simulated raters are among these figures." in document.html(load(made), None, [])
    assert "simulated raters are among" not in document.html(load(results()), None, [])


def test_sentences_are_cut_at_their_blanks() -> None:
    assert stretches("Pay was [state the pay] an hour.") == [
        Stretch("Pay was "), Stretch("[state the pay]", True), Stretch(" an hour.")
    ]  # fmt: skip


def test_tables_of_a_paper_stand_at_the_end() -> None:
    table = Table("t", "Table 9. New", (Column("System"), Column("X", 1)), (("a", 1.25),), ("Said.",))
    page = document.html(load(nothing()), None, [], [table])
    assert page.index("Tables as the papers print them") > page.index("Methods")
    assert "<caption>Table 9. New</caption>" in page


@pytest.mark.parametrize(
    ("number", "marked"), [(11, "<table>"), (15, '<table class="wide">'), (30, '<table class="wide widest">')]
)
def test_tables_of_many_columns_are_printed_smaller_so_that_none_is_cut_off(number: int, marked: str) -> None:
    wide = Table("wide", "Wide", tuple(Column(f"c{at}") for at in range(number)), ((1,) * number,))
    page = document.html(load(nothing()), None, [PLOT], [wide])
    assert f"{marked}<caption>Wide</caption>" in page


def test_a_table_without_rows_is_a_sentence() -> None:
    empty = Table("empty", "Figure without points", (Column("System"),), (), ("The manifest names no dimension.",))
    page = document.html(load(nothing()), None, [], [empty, Table("bare", "Nothing said", (Column("System"),), ())])
    # The only table is the reporting checklist.
    assert page.count("<table>") == 1
    assert "Figure without points The manifest names no dimension. Nothing said Nothing to show." in text_of(page)


def test_a_table_too_long_to_read_is_only_named() -> None:
    long = Table("long", "Many rows", (Column("Row"),), tuple((at,) for at in range(501)), ("A note.",))
    page = text_of(document.html(load(nothing()), None, [], [long]))
    assert "Many rows All 501 rows are in long.csv, among the tables of the analysis. A note." in page


def test_the_pdf_is_written() -> None:
    made = document.printed(document.html(load(nothing()), None, [PLOT]))
    assert made.startswith(b"%PDF-")


def test_a_table_divided_between_pages_has_three_rows_on_each() -> None:
    from weasyprint import HTML

    rows = tuple((f"row {number}",) for number in range(47))
    page = document.html(
        load(nothing()), None, [], [Table(f"t{at}", "Rows", (Column("Row"),), rows) for at in range(9)]
    )
    numbers = count()
    marked = re.sub(r"<tr>(?=\s*<t[hd][^>]*>row )", lambda found: f'<tr id="{next(numbers)}">', page)
    divided = [
        Counter(int(name) // 47 for name in sheet.anchors if name.isdigit())
        for sheet in HTML(string=marked).render().pages
    ]
    assert sum(counts.total() for counts in divided) == 9 * 47
    parts = [rows for counts in divided for rows in counts.values()]
    assert len(parts) > 9
    assert min(parts) >= 3


def test_the_pdf_fetches_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text("<svg xmlns='http://www.w3.org/2000/svg'><text>secret</text></svg>")
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]

        def listen() -> None:
            try:
                heard.append(server.accept()[0].recv(1))
            except TimeoutError:
                return

        listener = Thread(target=listen)
        parts = [
            f"<img src='{address}'>"
            for address in (f"http://127.0.0.1:{port}/a", f"https://127.0.0.1:{port}/b", secret.as_uri(), str(secret))
        ]
        plain = document.printed(f"<p>x</p><img src='{PIXEL}'>")
        written = document.printed(
            f"<link rel=stylesheet href='http://127.0.0.1:{port}/s.css'><style>@import url({secret.as_uri()});"
            f"p {{ background: url(http://127.0.0.1:{port}/c) }}</style><p>x</p><img src='{PIXEL}'>{''.join(parts)}"
            f"<object data='{secret.as_uri()}'></object><a rel=attachment href='{secret.as_uri()}'>x</a>"
        )
        listener.start()
        listener.join()
    assert heard == []
    assert b"secret" not in written
    assert b"/EmbeddedFile" not in written
    assert plain.count(b"/Subtype /Image") == written.count(b"/Subtype /Image")


class NoLibrary(MetaPathFinder):
    """Fails as WeasyPrint does where Pango is missing."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname.partition(".")[0] == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")


def test_a_machine_without_pango_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "weasyprint"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [NoLibrary(), *sys.meta_path])
    with pytest.raises(document.NoPango) as caught:
        document.printed("<p>x</p>")
    assert "libpango-1.0-0" in caught.value.message
    assert "The HTML report has the same content" in caught.value.message


def test_a_limit_among_numbers_makes_no_column_of_words() -> None:
    columns = (Column("First"), Column("p", 3), Column("Ratings"))
    table = Table("t", "T", columns, (("alpha", "<0.001", 3), ("beta", 0.02, 4)))
    assert table.heads == [("First", True), ("p", False), ("Ratings", False)]
