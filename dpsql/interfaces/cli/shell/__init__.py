"""The shell: what is typed, what its commands do, and how it is asked for."""
