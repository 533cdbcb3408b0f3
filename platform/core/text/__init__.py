"""Words of pages: languages, sentences that code without Django says, catalogues, text for spreadsheets."""
