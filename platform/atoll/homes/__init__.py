"""Where users' files lie, and how services reach them: always by way of `files`."""
