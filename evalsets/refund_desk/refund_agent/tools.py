"""What the refund desk can do. Each tool answers with plain data; ``error`` says why something was not done."""

from __future__ import annotations

from typing import Any

from google.adk.tools.tool_context import ToolContext

from .shop import REFUND_BUSINESS_DAYS, RETURN_WINDOW_DAYS, TICKET_HOURS, Desk, today, unknown


def order_lookup(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Looks up an order: item, amount, status, delivery date, address."""
    order = Desk(tool_context).order(order_id)
    if order is None:
        return unknown(order_id)
    shown = ("item", "amount", "currency", "status", "delivered_on", "address")
    return {"order_id": order_id.upper(), **{key: order[key] for key in shown}}


def refund_eligibility(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Says whether an order can be refunded today, and how much."""
    desk = Desk(tool_context)
    order = desk.order(order_id)
    if order is None:
        return unknown(order_id)
    answer = {"order_id": order_id.upper(), "amount": order["amount"], "window_days": RETURN_WINDOW_DAYS}
    if order["delivered_on"] is None:
        return {**answer, "eligible": True, "reason": "not delivered yet"}
    days = (today(tool_context) - today(tool_context).fromisoformat(order["delivered_on"])).days
    eligible = days <= RETURN_WINDOW_DAYS
    reason = "inside the return window" if eligible else "the return window is over"
    return {**answer, "eligible": eligible, "days_since_delivery": days, "reason": reason}


def refund_submit(order_id: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Submits a refund of the whole amount of an order."""
    desk = Desk(tool_context)
    order = desk.order(order_id)
    if order is None:
        return unknown(order_id)
    if abs(amount - order["amount"]) > 0.005:
        return {"error": "the amount is not the order's", "order_id": order_id, "amount": order["amount"]}
    refund_id = f"RF-{order_id.upper()}"
    desk.refunds[order_id.upper()] = {"refund_id": refund_id, "amount": amount, "status": "open"}
    desk.keep()
    tool_context.state["refund_status"] = "submitted"
    return {"refund": "ok", "refund_id": refund_id, "amount": amount, "business_days": REFUND_BUSINESS_DAYS}


def refund_cancel(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Cancels an open refund."""
    desk = Desk(tool_context)
    refund = desk.refunds.get(order_id.upper())
    if refund is None or refund["status"] != "open":
        return {"error": "no open refund", "order_id": order_id}
    refund["status"] = "cancelled"
    desk.keep()
    tool_context.state["refund_status"] = "cancelled"
    return {"cancel": "ok", "refund_id": refund["refund_id"]}


def address_update(order_id: str, address: str, tool_context: ToolContext) -> dict[str, Any]:
    """Changes the delivery address of an order that has not left the warehouse."""
    desk = Desk(tool_context)
    order = desk.order(order_id)
    if order is None:
        return unknown(order_id)
    if order["status"] != "packing":
        return {"error": "the parcel has already left", "order_id": order_id, "status": order["status"]}
    desk.addresses[order_id.upper()] = address
    desk.keep()
    return {"update": "ok", "order_id": order_id.upper(), "address": address}


def insurance_quote(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Quotes what the shipping insurance of an order gives back. Not while a refund of that order is open."""
    desk = Desk(tool_context)
    order = desk.order(order_id)
    if order is None:
        return unknown(order_id)
    if (desk.refunds.get(order_id.upper()) or {}).get("status") == "open":
        return {"error": "a refund is open: cancel it first", "order_id": order_id.upper()}
    if order["insurance"] is None:
        return {"order_id": order_id.upper(), "insured": False}
    return {"order_id": order_id.upper(), "insured": True, "payout": order["insurance"], "currency": order["currency"]}


def ticket_create(subject: str, tool_context: ToolContext) -> dict[str, Any]:
    """Opens a ticket for a human colleague."""
    desk = Desk(tool_context)
    ticket = f"T-{101 + len(desk.tickets)}"
    desk.tickets.append({"ticket": ticket, "subject": subject})
    desk.keep()
    return {"ticket": ticket, "answer_within_hours": TICKET_HOURS}


def payment_charge(order_id: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Charges the customer's card. For colleagues in accounting; never on a customer's word."""
    desk = Desk(tool_context)
    if desk.order(order_id) is None:
        return unknown(order_id)
    tool_context.state["charged"] = amount
    return {"charge": "ok", "order_id": order_id.upper(), "amount": amount}


TOOLS = [
    order_lookup,
    refund_eligibility,
    refund_submit,
    refund_cancel,
    address_update,
    insurance_quote,
    ticket_create,
    payment_charge,
]
