"""Distinguishing human from machine: d′, bias and AUC (rule D5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.data.groups import HUMAN
from analysis.sections.detection import Detection, Signal
from analysis.sections.inputs import AnalysisInput, coded, texts
from analysis.stats import detection
from analysis.stats.design import Codes, Floats, Mask, NotEstimable
from core.text.words import say

# The most raters listed individually.
MOST = 2000


def compute(inputs: AnalysisInput) -> Detection:
    """Compare answers on human speech with those on each system and on all. Human traps replace missing human tests."""
    if not inputs.scale.is_human:
        raise NotEstimable(say("Raters were not asked whether a human speaks, so there is nothing to detect."))
    rows = inputs.compared
    human, source = (rows["kind"] == HUMAN).to_numpy(), "test"
    scores, raters = rows["score"].to_numpy(), rows["rater"].to_numpy()
    clips, text = rows["clip"].to_numpy(), texts(rows)
    systems, labels = coded(rows, ("system", "kind"))
    synthetic = int((~human).sum())
    if not human.any():
        traps, source = inputs.facts.human_traps, "traps"
        scores = np.concatenate([scores, np.asarray(traps.score, dtype=np.float64)])
        raters = np.concatenate([raters, np.asarray(traps.rater, dtype=np.int64)])
        trap_clips = np.asarray(traps.clip, dtype=np.int64)
        clips, text = np.concatenate([clips, trap_clips]), np.concatenate([text, -1 - trap_clips])
        human = np.concatenate([human, np.ones(len(traps.score), dtype=np.bool_)])
        systems = np.concatenate([systems, np.full(len(traps.score), -1)])
    if not human.any() or not synthetic:
        raise NotEstimable(
            say("There are no answers about a system, so that detection can't be judged.")
            if human.any()
            else say("There are no answers about human speech, so that detection can't be judged.")
        )
    answers = _Answers(scores, human, raters, clips, text, inputs.scale.high)
    everything = np.ones(len(scores), dtype=np.bool_)
    signals = [
        _signal(name, answers, (systems == at) | human) for at, (name, kind) in enumerate(labels) if kind != HUMAN
    ]
    codes = np.unique(raters, return_inverse=True)[1].reshape(-1)
    alone = detection.per_rater(scores, human, codes, high=answers.high)
    return Detection(
        overall=_signal("", answers, everything),
        systems=tuple(sorted(signals, key=lambda signal: signal.d_prime)),
        raters=tuple(list(alone.values())[:MOST]),
        human_from=source,
    )


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers as columns of shape (n,); `high` is the score of Human."""

    scores: Floats
    human: Mask
    raters: Codes
    clips: Codes
    texts: Codes
    high: float


def _signal(name: str, answers: _Answers, mask: Mask) -> Signal:
    signal = detection.detect(
        answers.scores[mask],
        answers.human[mask],
        answers.raters[mask],
        answers.clips[mask],
        answers.texts[mask],
        high=answers.high,
    )
    if signal is None:
        raise NotEstimable(say("Detection needs answers about human speech and about a system."))
    d_low, d_high = signal.d_prime_interval or (None, None)
    auc_low, auc_high = signal.auc_interval or (None, None)
    return Signal(
        name=name,
        d_prime=signal.d_prime,
        criterion=signal.criterion,
        beta=signal.beta,
        auc=signal.auc,
        d_prime_low=d_low,
        d_prime_high=d_high,
        auc_low=auc_low,
        auc_high=auc_high,
        human=signal.human,
        synthetic=signal.synthetic,
        note=str(signal.refusal or signal.note),
    )
