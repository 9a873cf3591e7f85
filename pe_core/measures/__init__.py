"""What can be measured of an encoding: similarity, jumps, uniqueness, bounds; functions of tensors."""
