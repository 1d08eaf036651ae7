"""A small shop. What happens in it is kept in session state, so every session starts afresh and no case touches another."""

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


class Desk:
    """What this session has done to the shop: refunds, tickets, new addresses. The orders themselves never change.

    It is read from session state as a copy, and :meth:`keep` assigns it back as a whole, so that ADK records the change.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.refunds: dict[str, dict[str, Any]] = copy.deepcopy(context.state.get("refunds") or {})
        self.tickets: list[dict[str, Any]] = copy.deepcopy(context.state.get("tickets") or [])
        self.addresses: dict[str, str] = dict(context.state.get("addresses") or {})

    def keep(self) -> None:
        state = self._context.state
        for key, value in (("refunds", self.refunds), ("tickets", self.tickets), ("addresses", self.addresses)):
            if value != (state.get(key) or type(value)()):
                state[key] = value

    def order(self, order_id: str) -> dict[str, Any] | None:
        """The order with this number, in whatever case it was typed; None when there is none."""
        number = order_id.strip().upper()
        if number not in _ORDERS:
            return None
        order = dict(_ORDERS[number])
        order["address"] = self.addresses.get(number, order["address"])
        return order


def today(context: ToolContext) -> datetime.date:
    """The day the session plays on: state key ``today``, so that cases do not depend on the calendar."""
    return datetime.date.fromisoformat(context.state.get("today") or "2026-11-30")


def unknown(order_id: str) -> dict[str, Any]:
    """What every tool answers about an order that does not exist."""
    return {"error": "no such order", "order_id": order_id}
