"""What this installation is; everybody may know."""
