"""The frontier as data: adding what is better, and deriving all of it again."""
