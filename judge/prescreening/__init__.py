"""Pre-screening of clips by the judge or another metric before raters, and clips held back."""
