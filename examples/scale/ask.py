#!/usr/bin/env python3
"""Sends a file of requests to `warpledger serve` and prints a line of each answer:   ask.py SOCKET REQUESTS.jsonl"""
import json
import socket
import sys

with socket.socket(socket.AF_UNIX) as client, open(sys.argv[2]) as requests:
    client.connect(sys.argv[1])
    lines = client.makefile("rw")
    for request in requests:
        lines.write(request)
        lines.flush()
        answer = json.loads(lines.readline())
        if "error" in answer:
            print(answer["id"], "error:", answer["error"]["message"])
        elif "metrics" in answer:
            print(answer["id"], {name: metric["value"] for name, metric in answer["metrics"].items()})
        else:
            print(answer["id"], answer["explain"]["launches"][0]["lines"][1]["text"])
