"""Stored JSON is shown as labels and values."""

from __future__ import annotations

from raters.sessions.readable import in_a_line, readable


def test_an_answer_is_one_line_of_labels_and_values():
    assert in_a_line({"choice": "human"}) == "choice: human"
    assert in_a_line({"best": 2, "ratings": {"c1": 50, "c2": 3.14159}}) == "best: 2, ratings: c1: 50, c2: 3.142"


def test_lists_inside_are_indented_numbered_lines_with_rounded_numbers():
    shown = readable({"played_ranges": [{"from": 0.0, "to": 2.34567}], "was_hidden": True, "left": None, "of": [1, 2]})
    assert shown == (
        '<pre class="frozen">played ranges:\n  1:\n    from: 0\n    to: 2.346\nwas hidden: yes\nleft: –\nof: 1, 2</pre>'
    )


def test_markup_in_a_value_is_escaped():
    assert "<b>" not in readable({"agent": "<b>"})
