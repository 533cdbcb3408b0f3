"""Pure code of drafting: prompts, answers, checks."""
