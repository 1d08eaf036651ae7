"""A team's own metrics, beside the plans that use them."""
