"""The MCP server (``warpledger mcp``, ``python -m warpledger.mcp``): warpledger's answers as tools for a model.

    _command.py  runs the command with a time limit and a bound on what it prints; killed when the client cancels
    _launch.py   a launch as tools take it -> words of a command line
    _server.py   the tools
    SKILL.md     when to use which, for the model

Needs the SDK: ``pip install 'warpledger[mcp]'``. The package computes nothing: every answer is the command's.
"""
