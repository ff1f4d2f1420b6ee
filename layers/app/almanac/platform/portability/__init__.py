"""A tenant as a file of JSON lines, to be restored elsewhere: in another installation, on another technology."""
