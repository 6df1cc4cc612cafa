#!/bin/sh
if grep -q 'production'; then
	echo '{"error": "blocked_by_policy", "messages_to_user": ["This ability would write to production."]}'
fi
