"""What the methods text says of the mixed models that were fitted."""

from __future__ import annotations

from typing import Any

from analysis.sections.stored import is_there, section


def models(results: dict[str, Any]) -> str:
    """Return a sentence or two on each model that could be fitted, each ending in a space."""
    return _gaussian(results) + _answers(results)


def _gaussian(results: dict[str, Any]) -> str:
    bayes, clips, fast = (section(results, "models", name) for name in ("bayes", "bayes_clips", "fast"))
    said = ""
    if is_there(bayes):
        said += (
            f"The Bayesian mixed model is {bayes['formula']}, Gaussian with identity link, with these priors: "
            f"{bayes['priors'].rstrip('.')}; {_chains(bayes)}. "
        )
    elif is_there(fast):
        said += f"The mixed model is {fast['formula']}, Gaussian, fitted by REML. "
    if is_there(clips):
        model = "The same model" if is_there(bayes) else "The Bayesian mixed model, Gaussian with identity link,"
        priors = "the same priors" if is_there(bayes) else f"these priors: {clips['priors'].rstrip('.')}"
        said += (
            f"{model} with random effects of what was heard is {clips['formula']}, with {priors}; {_chains(clips)}. "
            "Its intervals hold for other clips, too. "
        )
    return said


def _chains(found: dict[str, Any]) -> str:
    return (
        f"{found['draws']:,} draws, largest R-hat {found['worst_rhat']:.4f}, smallest effective sample "
        f"{found['least_ess']:.0f}"
    )


def _answers(results: dict[str, Any]) -> str:
    plain, clips = section(results, "models", "answers"), section(results, "models", "answers_clips")
    said = ""
    if is_there(plain):
        said += (
            f"The {_kind(plain)} is {plain['formula']}, fitted by Laplace’s approximation; its scores are averaged "
            "over raters. "
        )
    if is_there(clips):
        model = "The same model" if is_there(plain) else f"The {_kind(clips)}"
        said += (
            f"{model} with random effects of what was heard is {clips['formula']}, fitted by Laplace’s approximation "
            "over all of its crossed effects together; its scores are averaged over raters and clips. "
        )
    return said


def _kind(found: dict[str, Any]) -> str:
    link = "a logit link" if found["model"] == "logistic" else "cumulative logits"
    return f"{found['model']} mixed model of the answers ({link})"
