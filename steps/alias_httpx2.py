"""Lets respx see what the Anthropic SDK sends: loaded with -p, before anything imports httpx.

Certificates are loaded once and not for each client, which takes 30 ms each time; the tests make a thousand clients.
"""

from functools import cache

import httpcore2
import httpx2

httpx2.alias_httpx()
httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
