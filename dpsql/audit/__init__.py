"""`dpsql audit`: the privacy claim put to the test on databases and queries made up for a policy."""
