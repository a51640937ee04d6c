"""The configuration language of processor selection (Drakenberg 2012, appendix)."""
