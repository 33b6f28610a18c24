"""Passes from efficient code to what a person would write."""
