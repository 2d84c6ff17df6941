"""Servers of ours that speak what Microsoft Entra ID and WeChat speak, over real HTTP; they need nothing but a port."""
