"""The process with the data."""
