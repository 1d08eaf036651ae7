"""What the process criteria share: events read out of a conversation, stages, questions, and the report's review."""
