"""What surrounds every page: navigation, turns, paging, what can be taken away."""
