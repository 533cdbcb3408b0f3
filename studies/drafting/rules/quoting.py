"""Find parts of secret texts in what people write, such as topics and prompts."""

from __future__ import annotations

from collections.abc import Iterable

from studies.drafting.rules.text_checks import plain
from studies.rules.text import is_cjk

# A shorter text may occur in any prompt by chance.
FEWEST_LETTERS = 12
# So many letters in a row, without spaces and marks, are a quotation: about seven words of English, which no everyday
# phrase has, or ten characters of Chinese. Of a text with fewer than twice as many, one half is.
RUN, CJK_RUN = 32, 10


def quotes_any(text: str, bodies: Iterable[str]) -> bool:
    """Return whether a text has a run of letters of one of these bodies, which are `plain`."""
    letters = plain(text)
    # By length; made once, since a study has many bodies and a prompt is short.
    runs: dict[int, frozenset[str]] = {}

    def has_run_of(body: str) -> bool:
        size = min(CJK_RUN if is_cjk(body) else RUN, -(-len(body) // 2))
        if size not in runs:
            runs[size] = frozenset(letters[at : at + size] for at in range(len(letters) - size + 1))
        return bool(runs[size]) and any(body[at : at + size] in runs[size] for at in range(len(body) - size + 1))

    return any(map(has_run_of, bodies))
