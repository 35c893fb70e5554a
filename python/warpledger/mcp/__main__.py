"""``python -m warpledger.mcp``: serves on standard input and output until they close."""
import sys


def main() -> None:
    try:
        from ._server import server
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "anyio", "pydantic"):
            raise
        sys.exit("error: the MCP server needs the SDK (mcp 2): pip install 'warpledger[mcp]'")
    server.run("stdio")


if __name__ == "__main__":
    main()
