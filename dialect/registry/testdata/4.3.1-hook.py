#!/usr/bin/env python3
import json
import sys
from pathlib import Path

def main():
  ctx = json.load(sys.stdin)
  log_path = Path(".system/logs/hooks.log")
  log_path.parent.mkdir(parents=True, exist_ok=True)
  with log_path.open("a", encoding="utf-8") as f:
    f.write(json.dumps(ctx) + "\n")
  json.dump({"usage_recorded": True}, sys.stdout)

if __name__ == "__main__":
  main()
