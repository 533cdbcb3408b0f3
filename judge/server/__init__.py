"""The judge server: loads a model and scores clips, over HTTP or from a manifest. Independent of Django."""
