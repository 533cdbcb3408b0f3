"""What an operator needs: health, the doctor, keys, logs, metrics, backups."""
