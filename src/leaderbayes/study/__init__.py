"""Many tournaments, each fitted by itself: fits in one store, and what they say together."""
