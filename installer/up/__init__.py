"""`./atoll up` and `down`: the rooms below, one after the other."""
