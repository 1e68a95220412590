"""Values of columns and parameters as the protocol has them, in text and binary."""
