"""Writes ``adk_split_eval/plan/structure.json`` from the plan's models; run it after a change of the models."""

from adk_split_eval.plan.schema import STRUCTURE_FILE, render_structure

if __name__ == "__main__":
    STRUCTURE_FILE.write_text(render_structure(), encoding="utf-8")
