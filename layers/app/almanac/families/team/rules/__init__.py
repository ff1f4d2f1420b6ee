"""Rules: if an event of a kind fits a predicate, then do up to ten derived writes."""
