"""The judge for programs: who answers, runs, and the scores that came of them."""
