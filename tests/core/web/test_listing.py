"""Search and pages of long lists."""

from __future__ import annotations

from django.test import RequestFactory

from core.text.words import Translatable, joined, say
from core.web.listing import ON_A_PAGE, Listing, longest

ROWS = [f"system-{number:03}" for number in range(60)]


def listing(query: str = "") -> Listing:
    return Listing.of(RequestFactory().get(f"/?{query}"))


def test_a_long_list_is_shown_in_pages() -> None:
    page = listing("page=3").page_of(ROWS, str)
    assert list(page) == ROWS[2 * ON_A_PAGE :]
    assert list(listing("page=x").page_of(ROWS, str)) == ROWS[:ON_A_PAGE]
    assert list(listing("page=99").page_of(ROWS, str)) == ROWS[2 * ON_A_PAGE :]


def test_rows_with_any_of_the_words_match() -> None:
    assert list(listing("q=M-007+059").page_of(ROWS, str)) == ["system-007", "system-059"]
    assert list(listing("q=none").page_of(ROWS, str)) == []


def test_a_short_list_ignores_the_search() -> None:
    assert list(listing("q=none&page=2").page_of(ROWS[:3], str)) == ROWS[:3]


def test_links_count_through_the_longest_list() -> None:
    short, long = (listing().page_of(rows, str) for rows in (ROWS[:3], ROWS))
    assert longest([short, long]) is long
    assert longest([]) is None


def test_hundreds_of_joined_sentences_are_nested_a_few_levels_deep() -> None:
    def depth(value: object) -> int:
        return 1 + max(map(depth, value.values.values()), default=0) if isinstance(value, Translatable) else 0

    sentences = [say("System {n} is left out.", n=number) for number in range(500)]
    paragraph = joined(*sentences)
    assert paragraph == " ".join(sentences)
    assert depth(paragraph) < 12
