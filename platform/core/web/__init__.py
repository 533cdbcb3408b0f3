"""Shared parts of the web pages: headers, errors, rate limits, a busy database, the home page."""
