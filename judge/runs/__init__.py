"""The judge's runs over a study: status of the judge, scoring, stored answers and scores."""
