// A stand-in for OpenCode: host.mjs PLUGIN STEPS runs the plugin, does the steps and prints what came of them.
import { existsSync, readFileSync } from "node:fs"

const [plugin, steps] = process.argv.slice(2)
const messages = []
const seen = { prompts: [], logs: [], toasts: [] }
const sessions = { ses_1: { id: "ses_1" } }

const client = {
  app: { log: async ({ body }) => seen.logs.push(body.message) },
  tui: { showToast: async ({ body }) => seen.toasts.push(body.message) },
  session: {
    get: async ({ path }) => ({ data: sessions[path.id] }),
    messages: async ({ query }) => ({ data: query.limit ? messages.slice(-query.limit) : [...messages] }),
    promptAsync: async ({ body }) => {
      seen.prompts.push(body)
      h.message("user", { agent: body.agent, model: body.model }, body.parts)
    },
  },
}

const h = {
  client, sessions, messages, seen,
  // hooks gives those of one more copy of the plugin, and load its event function.
  hooks: async () => {
    const { DiscobotHooks } = await import(`${plugin}?${h.copies++}`)
    return DiscobotHooks({ client, directory: process.cwd(), worktree: process.cwd() })
  },
  load: async () => (await h.hooks()).event,
  copies: 0,
  message: (role, info = {}, parts = [{ type: "text", text: "x" }]) => {
    messages.push({ info: { id: `msg_${messages.length + 1}`, role, ...info }, parts })
  },
  // turn is a user's message and the model's answer to it.
  turn: (info = { finish: "stop" }) => {
    h.message("user", { agent: "plan", model: { providerID: "p", modelID: "m", variant: "high" } })
    h.message("assistant", info)
  },
  status: (type, sessionID = "ses_1") => ({ event: { type: "session.status", properties: { sessionID, status: { type } } } }),
  idle: (sessionID = "ses_1") => ({ event: { type: "session.idle", properties: { sessionID } } }),
  // started waits until the stand-in of discobot-hooks runs for the nth time.
  started: async (n) => {
    while (h.calls().length < n) await new Promise((resolve) => setTimeout(resolve, 10))
  },
  calls: () => (existsSync("calls") ? readFileSync("calls", "utf8").trim().split("\n") : []),
}

const AsyncFunction = (async () => {}).constructor
await new AsyncFunction("h", steps)(h)
console.log(JSON.stringify({ ...seen, calls: h.calls() }))
