"""What all pictures share: colours, sizes, motion, and what stands in their files."""
