import sys
from pathlib import Path

bench = str(Path(__file__).parents[1] / "bench")
if bench not in sys.path:
    sys.path.insert(0, bench)
