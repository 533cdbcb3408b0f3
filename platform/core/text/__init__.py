"""Text of pages: languages, sentences of code without Django, catalogues."""
