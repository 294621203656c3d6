"""Lets respx see what the Anthropic SDK sends: loaded with -p, before anything imports httpx."""

import httpx2

httpx2.alias_httpx()
