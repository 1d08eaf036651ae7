"""A real MCP server over stdio: one tool that works, and faults as tools have them.

The first argument names a file that gets a line with the process id when the server starts, and one when it ends by itself.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

try:
    from mcp.server.mcpserver import MCPServer
except ModuleNotFoundError:  # before mcp 2 it had another name
    from mcp.server.fastmcp import FastMCP as MCPServer

LOG = Path(sys.argv[1])
server = MCPServer("shop")


def note(word: str) -> None:
    with LOG.open("a", encoding="utf-8") as file:
        file.write(f"{word} {os.getpid()}\n")


@server.tool()
async def stock(order: str) -> dict[str, str]:
    """How much there is of it."""
    return {"order": order, "stock": "seven"}


@server.tool()
async def refuses(order: str) -> dict[str, str]:
    """Raises."""
    raise ValueError(f"no shelf for {order}")


@server.tool()
async def dies(order: str) -> dict[str, str]:
    """The server is gone before it answers."""
    os._exit(3)


@server.tool()
async def sleeps(order: str) -> dict[str, str]:
    """Never answers."""
    await asyncio.sleep(3600)
    return {}


if __name__ == "__main__":
    note("start")
    server.run()
    note("end")
