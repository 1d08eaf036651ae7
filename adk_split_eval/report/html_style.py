"""The HTML report's only style sheet, inlined; its hash stands in the page's content security policy."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --line: #d5d9de; --soft: #f5f6f8; --text: #1c2025; --dim: #5d6672; --page: #fff;
  --good: #17693a; --bad: #b3261e; --hit: #8a5a00; --sim: #1d5f87; --rejected: #7b2d83; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #20242a; --text: #e6e8ea; --dim: #9aa4b0;
  --page: #16181c; --good: #6cc490; --bad: #ff8a80; --hit: #f0b95a; --sim: #7fc0ea; --rejected: #d79be0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; }
h3 { font-size: .95rem; margin: 1rem 0 .25rem; }
.dim { color: var(--dim); } .small { font-size: .87rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--dim); } dd { margin: 0; }
code, pre { font: .87rem/1.45 ui-monospace, monospace; } pre { margin: 0; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 600; font-size: .87rem; }
a { color: inherit; }
.verdict { font-weight: 700; white-space: nowrap; }
.v-PASS, .v-OK, .s-passed { color: var(--good); } .v-FAIL, .v-ERROR, .s-failed, .s-not_evaluated { color: var(--bad); }
.v-HIT { color: var(--hit); } .v-SIMULATOR, .v-INCONCLUSIVE { color: var(--sim); } .v-REJECTED { color: var(--rejected); }
.banner { border-left: .35rem solid var(--good); background: var(--soft); padding: .5rem .9rem; margin: 1rem 0; }
.banner.red { border-color: var(--bad); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem 1rem; margin: .75rem 0; }
summary { cursor: pointer; padding: .35rem 0; } summary .id { font-weight: 600; margin: 0 .5rem; }
ul { margin: .25rem 0; padding-left: 1.2rem; }
.next { background: var(--soft); border-radius: .35rem; padding: .5rem .75rem; margin: .5rem 0; }
.criteria { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
@media (max-width: 50rem) { .criteria { grid-template-columns: 1fr; } }
.criterion { border-top: 1px solid var(--line); padding: .3rem 0; }
.turn { border-top: 1px solid var(--line); padding: .5rem 0; }
.said { white-space: pre-wrap; margin: .25rem 0; padding: .35rem .6rem; border-radius: .35rem; }
.user { background: var(--soft); } .agent { border: 1px solid var(--line); }
.who { color: var(--dim); font-size: .8rem; }
.step { margin: .25rem 0 .25rem 1rem; border-left: 2px solid var(--line); padding-left: .6rem; }
@media print { details > * { display: block; } }
"""

STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
POLICY = f"default-src 'none'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'"
