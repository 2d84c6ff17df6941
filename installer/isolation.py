"""Programs that mount things or go on by themselves, kept from outliving this one."""

# debootstrap mounts /proc and /sys in what it builds. In name spaces of its own these mounts and all its processes end
# with it, and it ends with this program: else a killed one goes on, and the next clean-up reaches the real /sys.
DIES_WITH_US = ("setpriv", "--pdeathsig=KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
