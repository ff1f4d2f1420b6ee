"""Sign-in by OAuth at the public URL: /authorize, /token, /register, /revoke and the metadata that names them."""

from almanac.composition.aws_pages import aws_sign_in

handler = aws_sign_in()
