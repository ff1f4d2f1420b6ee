"""The dashboard's pages at the public URL: /ui."""

from almanac.composition.aws_pages import aws_dashboard

handler = aws_dashboard()
