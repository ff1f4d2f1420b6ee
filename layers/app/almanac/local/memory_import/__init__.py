"""Import conversations, memories, cards and notes of other programs from their files."""
