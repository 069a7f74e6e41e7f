"""The page: what is drawn is a pure function of a trace (``payload``), drawn in the browser by ``assets/js``."""
