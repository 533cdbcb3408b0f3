"""Telling human from machine: d′, bias and AUC (rule D5)."""

from __future__ import annotations

import numpy as np

from analysis.report.findings.given import Given, coded
from analysis.report.findings.schema import Detection, Signal
from analysis.selectors.groups import HUMAN
from analysis.stats import detection
from analysis.stats.design import NotEstimable

# So many raters are listed by themselves.
MOST = 2000


def section(given: Given) -> Detection:
    """Compare answers on human speech with those on each system and on all; human traps stand in for human tests."""
    if not given.scale["is_human"]:
        raise NotEstimable("Raters were not asked whether a human speaks, so there is nothing to detect.")
    rows = given.compared
    human, source = (rows["kind"] == HUMAN).to_numpy(), "test"
    scores, raters = rows["score"].to_numpy(), rows["rater"].to_numpy()
    systems, labels = coded(rows, ("system", "kind"))
    synthetic = int((~human).sum())
    if not human.any():
        traps, source = given.facts["human_traps"], "traps"
        scores = np.concatenate([scores, np.asarray(traps["score"], dtype=np.float64)])
        raters = np.concatenate([raters, np.asarray(traps["rater"], dtype=np.int64)])
        human = np.concatenate([human, np.ones(len(traps["score"]), dtype=np.bool_)])
        systems = np.concatenate([systems, np.full(len(traps["score"]), -1)])
    if not human.any() or not synthetic:
        missing = "human speech" if not human.any() else "a system"
        raise NotEstimable(f"There are no answers about {missing}, so that detection can't be judged.")
    found = [
        _signal(given, name, (systems == at) | human, scores, human, raters)
        for at, (name, kind) in enumerate(labels)
        if kind != HUMAN
    ]
    high = given.scale["high"]
    alone = detection.per_rater(scores, human, np.unique(raters, return_inverse=True)[1].reshape(-1), high=high)
    return {
        "overall": _signal(given, "", np.ones(len(scores), dtype=np.bool_), scores, human, raters),
        "systems": sorted(found, key=lambda signal: signal["d_prime"]),
        "raters": list(alone.values())[:MOST],
        "human_from": source,
    }


def _signal(given: Given, name: str, mask: object, scores: object, human: object, raters: object) -> Signal:
    mask, scores, human, raters = (np.asarray(column) for column in (mask, scores, human, raters))
    codes = np.unique(raters[mask], return_inverse=True)[1].reshape(-1)
    rng = given.rng(f"detection/{name}")
    found = detection.detect(scores[mask], human[mask], codes, rng, high=given.scale["high"])
    if found is None:
        raise NotEstimable("Detection needs answers about human speech and about a system.")
    d_low, d_high = found.d_prime_interval or (None, None)
    auc_low, auc_high = found.auc_interval or (None, None)
    return {
        "name": name,
        "d_prime": found.d_prime,
        "criterion": found.criterion,
        "beta": found.beta,
        "auc": found.auc,
        "d_prime_low": d_low,
        "d_prime_high": d_high,
        "auc_low": auc_low,
        "auc_high": auc_high,
        "human": found.human,
        "synthetic": found.synthetic,
    }
