"""The command line: ``python -m dragin_core fetch | doctor | run | score | evaluate | sweep``."""

import sys

from .cli import main

sys.exit(main())
