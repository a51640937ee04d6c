"""The evaluation of Drakenberg 2012, section 6."""
