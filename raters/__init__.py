"""Who answered what: raters, their sessions, batches, trials, answers and verdicts."""
