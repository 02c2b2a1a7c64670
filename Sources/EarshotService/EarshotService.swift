// The room is empty so far.
