// Written by discobot-hooks connect; discobot-hooks disconnect opencode removes it.
export const DiscobotHooks = async ({ client, directory }) => {
  const running = new Set() // session.idle was seen twice for one turn: dedupe per session
  return { event: async ({ event }) => {
    if (event.type !== "session.idle") return
    const id = event.properties.sessionID
    if (running.has(id)) return
    running.add(id)
    try {
      const s = await client.session.get({ path: { id } })
      if (s?.data?.parentID) return // subagent session
      const { spawnSync } = await import("node:child_process") // replace by async spawn
      const r = spawnSync("discobot-hooks", ["eval-turn", "--agent", "opencode"], { cwd: directory, input: JSON.stringify({ event, directory }) })
      const out = r.stdout?.toString().trim()
      const d = out ? JSON.parse(out) : {}
      if (d.decision === "block") await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: d.reason }] } })
    } finally { running.delete(id) }
  } }
}
