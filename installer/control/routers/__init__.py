"""What may be asked: a router per noun."""
