"""The text of a label, 32 columns wide, as the thermal printer takes it.

    +--------------------------------+
    | STANDARD               2.500 kg|
    | ...

The printer cuts off what is wider than its paper without a word, so no line may be longer.
"""

from parcel.money import show

WIDTH = 32
RULE = "-" * WIDTH


def kilograms(grams):
    """A weight as the label prints it: 2500 is "2.500 kg"."""
    return f"{grams // 1_000}.{grams % 1_000:03d} kg"


def row(left, right):
    """One line with a text at each end."""
    return left + right.rjust(WIDTH - len(left))


def address_lines(address):
    """The address block: name, second line, street, postcode and city, country."""
    lines = [address.name]
    if address.extra:
        lines.append(address.extra)
    lines.append(address.street)
    lines.append(f"{address.postcode} {address.city}")
    if address.country != "DE":
        lines.append(address.country)
    return lines


def label_text(address, grams, service="standard", tracking="", cash=None):
    """The whole label as one text; lines are separated by a line break, none is wider than 32.

    `cash` is the amount to collect on delivery, or None.
    """
    lines = [row(service.upper(), kilograms(grams)), RULE]
    lines += address_lines(address)
    lines.append(RULE)
    if cash is not None:
        lines.append(row("COLLECT", show(cash)))
    if tracking:
        lines.append(tracking)
    return "\n".join(lines)
