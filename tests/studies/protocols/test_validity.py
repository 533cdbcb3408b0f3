"""When a batch counts."""

from __future__ import annotations

from itertools import product

import pytest
from pydantic import ValidationError

from studies.protocols.parameters import Protocol
from studies.protocols.validity import TrapResult, batches_offered, decide, guesser_rate


def test_a_guesser_passes_five_in_twenty_seven_att_batches() -> None:
    assert guesser_rate(Protocol(), 3) == pytest.approx(5 / 27)


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
        for guessed in guesses
    )
    assert guesser_rate(protocol, options) == pytest.approx(passed / len(guesses))


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
