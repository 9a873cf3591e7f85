"""The parts a page is made of: controls, pictures, texts."""
