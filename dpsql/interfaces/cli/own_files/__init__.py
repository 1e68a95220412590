"""What the command keeps for its user alone: what was typed, and what was asked."""
