"""In how many tasks of a batch a golden question is mixed among the others."""

from __future__ import annotations

from random import Random


def how_many(share: float, *, tasks: int, met: int, size: int, rng: Random) -> int:
    """Return the number of tasks with a golden question among the next `size`.

    `tasks` and `met` are how many tasks, and golden ones, the session has had before. The share is kept over the whole
    session, rounded at random so that it holds on average; whoever has met none meets one now.
    """
    if not share:
        return 0
    exact = share * (tasks + size) - met
    count = int(exact) + (rng.random() < exact - int(exact)) if exact > 0 else 0
    return min(size, max(count, 0 if met else 1))
