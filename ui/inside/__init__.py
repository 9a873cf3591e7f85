"""The rooms of the page on what trained models do."""
