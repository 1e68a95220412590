"""The process that faces the network."""
