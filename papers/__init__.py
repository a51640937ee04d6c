"""Tables and figures of the papers, reproduced and compared with the printed ones."""
