"""Text of pages: languages, sentences of code without Django, catalogues, text for spreadsheets."""
