"""The page of ``closeknit explore``: what it shows, and what it asks for as JSON.

`application` serves the files in ``static/`` and puts the functions of the other
modules on the network; these know nothing of HTTP.
"""
