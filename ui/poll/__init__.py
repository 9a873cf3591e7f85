"""A room answers: a question on the wall, votes from telephones, and the computed answer."""
