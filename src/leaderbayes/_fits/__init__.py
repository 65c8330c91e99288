"""What a fit is: checked when given, written to a file, read back."""
