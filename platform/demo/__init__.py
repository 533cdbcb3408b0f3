"""The demo study: synthesised on the spot, with simulated raters."""
