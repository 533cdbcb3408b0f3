"""What every request meets: headers, errors, limits, a busy database, the front door."""
