"""What the signals cost: ``python -m bench`` measures it side by side with plain decoding and prints Markdown.

Absolute times belong to one machine on one day. Ratios are taken in pairs, in one run, so that they travel better.
"""
