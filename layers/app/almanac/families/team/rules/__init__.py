"""Rules. An event of a kind that matches a predicate triggers up to ten derived writes."""
