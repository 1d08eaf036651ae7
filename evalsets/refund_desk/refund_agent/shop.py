"""A small shop kept in session state: every session starts with its own fresh copy, so no case can touch another's."""

from __future__ import annotations

import copy
import datetime
from typing import Any

from google.adk.tools.tool_context import ToolContext

RETURN_WINDOW_DAYS = 30
REFUND_BUSINESS_DAYS = 3
TICKET_HOURS = 24

_ORDERS: dict[str, dict[str, Any]] = {
    "L8823": {
        "item": "保温杯",
        "amount": 128.0,
        "currency": "CNY",
        "status": "delivered",
        "delivered_on": "2026-11-24",
        "address": "上海市静安区巨鹿路 210 号",
        "insurance": 12.0,
    },
    "H2051": {
        "item": "羊毛围巾",
        "amount": 219.0,
        "currency": "CNY",
        "status": "packing",
        "delivered_on": None,
        "address": "南京市鼓楼区汉口路 9 号",
        "insurance": None,
    },
    "K3017": {
        "item": "running shoes",
        "amount": 459.0,
        "currency": "CNY",
        "status": "packing",
        "delivered_on": None,
        "address": "7 Mill Road, Leeds",
        "insurance": 18.5,
    },
    "M5540": {
        "item": "desk lamp",
        "amount": 86.5,
        "currency": "CNY",
        "status": "delivered",
        "delivered_on": "2026-10-02",
        "address": "31 Quay Street, Bristol",
        "insurance": None,
    },
    "P2206": {
        "item": "linen sheets",
        "amount": 1280.0,
        "currency": "CNY",
        "status": "delivered",
        "delivered_on": "2026-11-20",
        "address": "5 Castle Terrace, Edinburgh",
        "insurance": 20.0,
    },
}


def open_shop(context: ToolContext) -> dict[str, Any]:
    """This session's shop, as a copy that is safe to change; :func:`close_shop` keeps the changes."""
    kept = context.state.get("shop")
    return copy.deepcopy(kept if kept is not None else {"orders": _ORDERS, "refunds": {}, "tickets": []})


def close_shop(context: ToolContext, shop: dict[str, Any]) -> None:
    """Keep the changed shop in session state (assigned as a whole, so that ADK records the change)."""
    context.state["shop"] = shop


def today(context: ToolContext) -> datetime.date:
    """The day the session plays on: state key ``today``, so that cases do not depend on the calendar."""
    return datetime.date.fromisoformat(context.state.get("today") or "2026-11-30")


def find(shop: dict[str, Any], order_id: str) -> dict[str, Any] | None:
    """The order with this number, in whatever case it was typed."""
    return shop["orders"].get(order_id.strip().upper())


def unknown(order_id: str) -> dict[str, Any]:
    """What every tool answers about an order that does not exist."""
    return {"error": "no such order", "order_id": order_id}
