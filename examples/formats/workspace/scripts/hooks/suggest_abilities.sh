#!/bin/sh
# The context is one JSON object on stdin; the answer is one on stdout.
grep -q 'billing' && cat <<'JSON'
{
  "suggested_abilities": [
    {"id": "billing_regression", "reason": "the prompt names billing", "confidence": 0.9}
  ],
  "messages_to_user": ["The billing_regression ability runs the full suite."]
}
JSON
exit 0
