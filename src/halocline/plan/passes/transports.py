"""Transports: what moves each message, inside a node and between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from halocline.plan.platform import Platform
    from halocline.plan.value.messages import Message
    from halocline.plan.value.plan import Plan


def with_transports(plan: Plan, platform: Platform) -> Plan:
    """Choose the transport of each message that has none yet."""

    def chosen(message: Message) -> Message:
        if message.transport != "auto":
            return message
        is_same_node = platform.is_same_node(message.source, message.target)
        wanted = plan.strategy.transport
        return replace(message, transport=platform.transport(wanted, is_same_node=is_same_node))

    exchanges = tuple(
        replace(
            exchange,
            sends=tuple(map(chosen, exchange.sends)),
            receives=tuple(map(chosen, exchange.receives)),
        )
        for exchange in plan.exchanges
    )
    return replace(plan, exchanges=exchanges)
