"""YAML to a frozen Policy: who is protected, what may be asked, how much may be spent."""
