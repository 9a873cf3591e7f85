"""In which language a visitor reads, and how words, sentences and pictures of the app get into it."""
