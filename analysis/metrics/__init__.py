"""Metrics of clips: imported as CSV, or computed by DNSMOS."""
