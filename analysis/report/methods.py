"""The methods text of a report, from the study's settings and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.sections.mixed_models.result import Bayes, Ordinal
from analysis.sections.participants import recruited, screened
from analysis.sections.parts import Part, Quote
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from raters import sources

if TYPE_CHECKING:
    from studies.definition.definition import Definition


def models(results: Results) -> str:
    """Return a sentence or two on each model that could be fitted, each ending in a space."""
    return _gaussian(results) + _answers(results)


def _gaussian(results: Results) -> str:
    models = results.every_model
    bayes, clips, fast = models.bayes, models.bayes_clips, models.fast
    said = ""
    if not isinstance(bayes, Refusal):
        said += (
            f"The Bayesian mixed model is {bayes.formula}, Gaussian with identity link, with these priors: "
            f"{bayes.priors.rstrip('.')}; {_chains(bayes)}. "
        )
    elif not isinstance(fast, Refusal):
        said += f"The mixed model is {fast.formula}, Gaussian, fitted by REML. "
    if not isinstance(clips, Refusal):
        model, priors = "The same model", "the same priors"
        if isinstance(bayes, Refusal):
            model = "The Bayesian mixed model, Gaussian with identity link,"
            priors = f"these priors: {clips.priors.rstrip('.')}"
        said += (
            f"{model} with random effects of what was heard is {clips.formula}, with {priors}; {_chains(clips)}. "
            "Its intervals hold for other clips, too. "
        )
    return said


def _chains(found: Bayes) -> str:
    return (
        f"{found.draws:,} draws, largest R-hat {found.worst_rhat:.4f}, smallest effective sample {found.least_ess:.0f}"
    )


def _answers(results: Results) -> str:
    models = results.every_model
    plain, clips = models.answers, models.answers_clips
    said = ""
    if not isinstance(plain, Refusal):
        said += (
            f"The {_kind(plain)} is {plain.formula}, fitted by Laplace’s approximation; its scores are averaged "
            "over raters. "
        )
    if not isinstance(clips, Refusal):
        model = "The same model" if not isinstance(plain, Refusal) else f"The {_kind(clips)}"
        said += (
            f"{model} with random effects of what was heard is {clips.formula}, fitted by Laplace’s approximation "
            "over all of its crossed effects together; its scores are averaged over raters and clips. "
        )
    return said


def _kind(found: Ordinal) -> str:
    link = "a logit link" if found.model == "logistic" else "cumulative logits"
    return f"{found.model} mixed model of the answers ({link})"


def methods(results: Results, definition: Definition | None) -> Part:
    """Return the text, paragraph by paragraph, with the texts that raters read word for word."""
    sentences = [
        _raters(results, definition),
        _screening(results, definition),
        _material(results, definition),
        _task(results, definition),
        _checks(results, definition),
        _exclusions(results),
        _analysis(results, definition),
        _ethics(),
        _software(results),
    ]
    return Part("methods", "Methods", tuple(sentences), quotes=_quotes(definition), is_prose=True)


def _raters(results: Results, definition: Definition | None) -> str:
    people = results.participants
    platform = "[state the platform]"
    if definition is not None:
        source = sources.all_sources().get(definition.crowd.source)
        platform = source.recruited or str(source.label) if source else definition.crowd.source
    launched = results.study.launched_at
    when = f"from {launched[:10]} to [state the last day]" if launched else "[state the dates]"
    said = f"Raters were recruited through {platform} {when}"
    recruitment = None if definition is None else definition.recruitment
    set_there = recruited.filters(recruitment) if recruitment else []
    prescreeners = "; ".join(f"{what} {which}" for what, which in set_there)
    said += f", with these prescreeners: {prescreeners or '[state the prescreeners, or none]'}. "
    said += recruited.left_out(recruitment) if recruitment else ""
    if not isinstance(people, Refusal):
        steps = {step.key: step for step in people.steps}
        counts = [f"{step.count:,} {step.label}" for step in steps.values()]
        said += f"Of the sessions, {'; '.join(counts)}. The answers of {people.raters:,} raters are analysed. "
        if people.minutes_median is not None:
            said += f"A session took {people.minutes_median:.1f} minutes (median). "
    said += (
        "Pay was [state the pay for a session and per hour, with that of those screened out]. "
        f"{recruited.who(recruitment, recruited.about_of(people))}"
    )
    return said


def _screening(results: Results, definition: Definition | None) -> str:
    said = "Hardware and surroundings: [state what was required: headphones, a quiet room, the kind of device]. "
    if definition is not None:
        enforced = definition.protocol.playback == "enforce"
        said += (
            "The server refused an answer before a clip could have been heard to its end"
            if enforced
            else "Listening was recorded and not enforced"
        )
        plays = definition.protocol.max_plays
        said += f"; each clip could be played {f'up to {plays} times' if plays else 'as often as wished'}"
        said += "; a pause or a hidden page voided a play. " if definition.protocol.interruption == "void" else ". "
    else:
        return said + "Checks before the first clip, training and comprehension: [state them, or none]."
    people = results.participants
    return said + (screened.sentences(definition, people) + screened.attention(definition, people)).rstrip()


def _material(results: Results, definition: Definition | None) -> str:
    found = results.design
    if isinstance(found, Refusal):
        return "Material: [state systems, voices, texts and clips]."
    synthetic = [row for row in found.systems if not row.kind]
    said = (
        f"The clips that were rated are {found.clips:,} of {found.texts:,} texts in "
        f"{', '.join(found.languages) or '[state the language]'}, by {len(synthetic)} systems "
        f"({', '.join(row.name for row in synthetic)})"
        f"{' and by human speakers' if found.human_tests else ', without human speech among the test clips'}. "
    )
    if definition is not None:
        audio = definition.audio
        loud = (
            f"brought to {audio.loudness:g} LUFS with a true peak of at most {audio.peak:g} dBTP"
            if audio.loudness is not None
            else "left at the loudness they came with"
        )
        said += (
            f"All clips were sent as 16-bit WAV at {audio.sample_rate / 1000:g} kHz, "
            f"{'mono' if audio.channels == 1 else 'stereo'}, {loud}. "
        )
    return said + "[State the versions of the systems, how texts and voices were chosen, and the length of the clips.]"


def _task(results: Results, definition: Definition | None) -> str:
    study = results.study
    scale = study.scale
    said = f"The task was “{study.task}”, in {study.language}. "
    question = None if isinstance(results.design, Refusal) else results.design.parameters.get("question")
    said += f"Raters were asked: “{question}” " if question else ""
    if scale.codes:
        said += f"The answers were {', '.join(scale.codes.values())}. "
    said += f"{scale.name} is the mean of scores from {scale.low:g} to {scale.high:g}. "
    if definition is not None:
        protocol = definition.protocol
        repeat = (
            "nobody heard a text twice"
            if protocol.repeat_text == "never"
            else "a rater may hear every version of a text"
        )
        said += (
            f"{protocol.ratings_wanted} usable ratings were wanted of each clip; a rater was offered "
            f"{protocol.batches_per_session} batches of {protocol.batch_size} items, drawn at random with the systems "
            f"in balance and the least-rated clips first, in random order; {repeat}. "
        )
        if protocol.most_ratings:
            said += f"Where raters disagreed, up to {protocol.most_ratings} were asked. "
        if protocol.human_share is not None:
            said += f"{100 * protocol.human_share:g} % of the test clips were human speech. "
    return said + "[State what raters were told about the share of human speech, if anything.]"


def _checks(results: Results, definition: Definition | None) -> str:
    if definition is None:
        return "Checks of attention: [state traps, golden questions and their rule]."
    protocol, kind = definition.protocol, definition.kind
    if kind.traps and protocol.flawed_traps + protocol.human_traps:
        said = (
            f"Each batch held {protocol.flawed_traps} deliberately flawed and {protocol.human_traps} human recordings "
            "as traps. A batch counts when the flawed ones were called machine and at least "
            f"{protocol.human_traps_right} of the human ones human; raters were paid all the same and not told. "
        )
        guesser = None if isinstance(results.quality, Refusal) else results.quality.guesser
        return said + (f"A pure guesser passes with probability {100 * guesser:.1f} %." if guesser is not None else "")
    if kind.asks:
        return (
            f"{100 * protocol.golden_share:g} % of the tasks held a golden question whose answer everybody knows. One "
            "wrong answer to a golden question takes all of a rater’s answers out; raters were paid all the same."
        )
    return "There were no traps among the clips. [State other checks of attention, or none.]"


def _exclusions(results: Results) -> str:
    found = results.exclusions
    if isinstance(found, Refusal):
        return "Exclusions: [state the rules, when each was fixed, and how many ratings and raters they took out]."
    reasons = "; ".join(f"{row.label}: {row.ratings:,} ratings of {row.raters:,} raters" for row in found.reasons)
    return (
        f"Of {found.given:,} ratings of test clips, {found.given - found.counted:,} were excluded"
        f"{f' ({reasons})' if reasons else ''}; {found.counted:,} by {found.raters_counted:,} raters are "
        "analysed. [State when each rule was fixed, and whether the study was pre-registered.]"
    )


def _analysis(results: Results, definition: Definition | None) -> str:
    counted = "" if isinstance(results.design, Refusal) else results.design.pieces
    pieces = {"text": "texts"}.get(counted, "clips")
    way = f"two-way clustering by raters and {pieces} (Cameron, Gelbach and Miller 2011), t on the smaller number of"
    if counted == "raters":
        way = (
            "clustering by raters alone, for these texts only, since systems share fewer than five; t on the number of"
        )
    said = (
        f"Intervals of means are 95 % intervals with {way} clusters less one. Differences between systems are "
        "simultaneous over all pairs. "
    )
    said += models(results)
    if definition is not None and definition.results.looks:
        said += f"Looks at the contrasts were named before the launch: {', '.join(definition.results.looks)}. "
    return said + "Scores of different listening tests can’t be compared with each other."


def _ethics() -> str:
    return (
        "Raters read an information sheet and consented before the first clip. [State the approval of the study by an "
        "ethics board, or why none was needed, and how the data may be had.]"
    )


def _software(results: Results) -> str:
    inputs = results.inputs
    versions = ", ".join(map(str, results.study.versions))
    simulated = results.study.simulated
    said = (
        f"Earshot {inputs.code_version} ran the study “{results.study.slug}” (version {versions}) and "
        f"computed all figures from {inputs.counted:,} of {inputs.ratings:,} ratings with seed {inputs.seed}; "
        f"the fingerprint of its inputs is {inputs.fingerprint[:16]}."
    )
    warnings = {"with": " Answers of simulated raters are among them.", "only": " All answers are of simulated raters."}
    return said + warnings.get(simulated, "")


def _quotes(definition: Definition | None) -> tuple[Quote, ...]:
    if definition is None:
        return ()
    texts = definition.texts
    listed = {
        "Information sheet": texts.information,
        "Consent": texts.consent,
        "Instructions": texts.instructions,
        "Examples of good reasons": "\n".join(texts.good_reasons),
        "Examples of poor reasons": "\n".join(texts.poor_reasons),
    }
    return tuple(Quote(title, text) for title, text in listed.items() if text)
