"""The judge's own process: it loads a model and scores clips, over HTTP or from a manifest. It knows no Django."""
