r"""Positional encodings of transformers: pure functions of tensors, thin modules around them, and a lab to train with.

Letters used everywhere: B batch, H heads, T positions, D model width, d head width. Query position $m$ (or $i$), key
position $n$ (or $j$), both counted from 0. `positions` are in tokens, angles in radians, wavelengths in tokens, `base`
is the 10,000 of the sinusoid. Angles are computed in float64 and cast last.

`pe_core.encodings.ENCODINGS` is the registry; `python -m pe_core.lab --help` trains from the command line.
"""
