"""Ways in beside the password: others say who somebody is, and an account here is linked with what they say."""
