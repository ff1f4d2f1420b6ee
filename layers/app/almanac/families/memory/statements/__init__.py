"""What a sentence does in a talk: decides, forbids, asks, reports; and which decisions and tasks hold now."""
