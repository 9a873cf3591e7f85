"""The notebook of proof: `python -m tests.verification` runs the tests below and writes what they found to `docs`."""
