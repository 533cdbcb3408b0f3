"""What a study asks: its settings, presets, parameters, languages, and the forms of them."""
