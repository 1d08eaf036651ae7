"""Writes what is generated from the plan's models: the structure the checks read, and the JSON Schema for editors."""

import json
from pathlib import Path

from adk_split_eval.plan.schema import STRUCTURE_FILE, plan_json_schema, render_structure

EDITORS = Path(__file__).parents[1] / "docs" / "plan.schema.json"

if __name__ == "__main__":
    STRUCTURE_FILE.write_text(render_structure(), encoding="utf-8")
    EDITORS.write_text(json.dumps(plan_json_schema(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
