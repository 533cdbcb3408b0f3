"""When a batch counts."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from studies.rules.parameters import Protocol
from studies.rules.validity import TrapResult, batches_offered, decide, guesser_rate


def test_a_guesser_passes_five_in_twenty_seven_att_batches() -> None:
    assert guesser_rate(Protocol(), lambda _role: 1 / 3) == pytest.approx(5 / 27)


@pytest.mark.parametrize(
    ("flawed", "humans", "needed", "options"), [(1, 2, 1, 3), (2, 3, 2, 2), (0, 2, 0, 3), (1, 0, 0, 4)]
)
def test_the_guessers_rate_equals_counting_every_possible_guess(
    flawed: int, humans: int, needed: int, options: int
) -> None:
    protocol = Protocol(flawed_traps=flawed, human_traps=humans, human_traps_right=needed)
    guesses = list(product(range(options), repeat=flawed + humans))
    passed = sum(
        decide(
            [TrapResult("trap_flawed", guess == 0) for guess in guessed[:flawed]]
            + [TrapResult("trap_human", guess == 1) for guess in guessed[flawed:]],
            protocol,
        ).valid
        is True
        for guessed in guesses
    )
    assert guesser_rate(protocol, lambda _role: 1 / options) == pytest.approx(passed / len(guesses))


def test_without_traps_there_is_no_rate_of_a_guesser() -> None:
    protocol = Protocol(flawed_traps=0, human_traps=0, human_traps_right=0)
    assert guesser_rate(protocol, lambda _role: 1 / 3) is None


def test_every_flawed_trap_must_be_caught() -> None:
    protocol = Protocol(flawed_traps=2, human_traps=1)
    human = TrapResult("trap_human", True)
    assert decide([TrapResult("trap_flawed", True), TrapResult("trap_flawed", True), human], protocol).valid
    assert not decide([TrapResult("trap_flawed", True), TrapResult("trap_flawed", False), human], protocol).valid


def test_the_decision_keeps_its_counts() -> None:
    decision = decide([TrapResult("trap_flawed", True), TrapResult("trap_human", False)], Protocol())
    assert (decision.flawed_right, decision.flawed, decision.human_right, decision.humans) == (1, 1, 0, 1)


@pytest.mark.parametrize(("flawed", "human", "offered"), [(8, 8, 3), (2, 8, 2), (8, 3, 1), (0, 8, 0)])
def test_the_traps_limit_how_many_batches_a_person_is_offered(flawed: int, human: int, offered: int) -> None:
    assert batches_offered(Protocol(), flawed, human) == offered


def test_a_rule_that_nobody_can_pass_is_refused() -> None:
    with pytest.raises(ValidationError, match="no batch could ever be valid"):
        Protocol(human_traps=1, human_traps_right=2)


ROLES = st.sampled_from(["trap_flawed", "trap_human"])
TRAPS = st.lists(st.tuples(ROLES, st.booleans()), max_size=8)


def decided(traps: list[tuple[str, bool]], needed: int) -> bool:
    humans = sum(role == "trap_human" for role, _passed in traps)
    protocol = Protocol(
        flawed_traps=len(traps) - humans, human_traps=humans, human_traps_right=min(needed, humans), tests_per_batch=1
    )
    return decide([TrapResult(*trap) for trap in traps], protocol).valid is True


@given(TRAPS, st.integers(0, 8))
def test_a_batch_is_valid_when_every_flawed_and_enough_human_traps_are_right(
    traps: list[tuple[str, bool]], needed: int
) -> None:
    flawed = [passed for role, passed in traps if role == "trap_flawed"]
    human = [passed for role, passed in traps if role == "trap_human"]
    assert decided(traps, needed) == (all(flawed) and sum(human) >= min(needed, len(human)))


@given(TRAPS.filter(bool), st.integers(0, 8), st.data())
def test_one_more_right_answer_never_makes_a_batch_invalid(
    traps: list[tuple[str, bool]], needed: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(traps) - 1))
    better = [(role, passed or index == place) for index, (role, passed) in enumerate(traps)]
    assert decided(better, needed) >= decided(traps, needed)


@given(TRAPS, st.integers(0, 8), st.randoms(use_true_random=False))
def test_the_order_of_the_traps_doesnt_matter(traps: list[tuple[str, bool]], needed: int, random: Random) -> None:
    mixed = random.sample(traps, len(traps))
    assert decided(mixed, needed) == decided(traps, needed)


@pytest.mark.parametrize(
    ("flawed", "humans", "valid"),
    [
        ([True], [True, None], True),
        ([True], [False, None], None),
        ([True], [None, None], None),
        ([None], [True, True], None),
        ([None], [False, False], False),
        ([False], [None, None], False),
        ([True, None], [True, None], True),
        ([None, None], [None, None], None),
    ],
)
def test_a_trap_that_could_not_be_played_counts_neither_for_the_rater_nor_against_them(
    flawed: list[bool | None], humans: list[bool | None], valid: bool | None
) -> None:
    traps = [TrapResult("trap_flawed", each) for each in flawed] + [TrapResult("trap_human", each) for each in humans]
    decision = decide(traps, Protocol(flawed_traps=len(flawed), human_traps=len(humans)))
    assert decision.valid is valid
    heard = [each for each in (*flawed, *humans) if each is not None]
    assert decision.flawed + decision.humans == len(heard)


def test_a_guesser_may_pass_one_role_of_traps_more_often_than_the_other() -> None:
    protocol = Protocol(flawed_traps=2, human_traps=1, human_traps_right=1)
    assert guesser_rate(protocol, {"trap_flawed": 3 / 7, "trap_human": 1 / 7}.__getitem__) == pytest.approx(9 / 343)
