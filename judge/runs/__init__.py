"""The judge's runs over a study: who answers, clips put before it, answers kept, scores told."""
