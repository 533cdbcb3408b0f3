"""Scores of clips by machines: imported as CSV, or computed by DNSMOS."""
