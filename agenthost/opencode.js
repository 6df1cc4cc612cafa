// Written by `discobot-hooks connect opencode`; `discobot-hooks disconnect opencode` removes it.
// When the agent stops, `discobot-hooks eval-turn` says whether it may; if not, its message is the next prompt.
import { spawn } from "node:child_process"

const evalTurn = ["eval-turn", "--agent", "opencode"]
const evalTurnMS = 130_000
const startSession = ["session", "--agent", "opencode"]
const startSessionMS = 610_000
const maxOutput = 1 << 20 // characters
const mark = "discobot-hooks" // in the metadata of our prompts' text, so that a restarted OpenCode knows them too

// One state for all copies of this file: OpenCode loads the user's and the project's.
const shared = (globalThis[Symbol.for("discobot-hooks")] ??= { sessions: new Map(), said: new Set(), groups: new Map() })

export const DiscobotHooks = async ({ client, directory, worktree }) => {
  shared.exit ??= process.on("exit", () => endGroups())
  const say = async (message) => {
    if (shared.said.has(message)) return
    shared.said.add(message)
    try {
      await client.app.log({ body: { service: "discobot-hooks", level: "warn", message } })
    } catch {} // nobody is left to tell
  }
  const ask = async (what, promise) => {
    const { data, error } = await promise
    if (data === undefined) throw new Error(`${what}: ${JSON.stringify(error)}`)
    return data
  }

  // evaluate answers one stop: undefined, or the prompt that sends the agent back to work.
  const evaluate = async (id, event) => {
    const state = session(id)
    const get = (query) => ask("read messages", client.session.messages({ path: { id }, query }))
    let messages = await get({ limit: 50 })
    const last = messages.at(-1)
    if (!stopped(last) || last.info.id === state.seen || subagentsWork(id)) return
    state.seen = last.info.id
    if (messages.length >= 50 && !messages.some(fromUser)) messages = await get({})

    const payload = { event, session_id: id, directory, worktree, user_message: messages.findLast(fromUser)?.info.id }
    const answer = await run(evalTurn, evalTurnMS, directory, payload, say)
    if (!answer) return
    const { decision, reason, systemMessage } = parse(answer)
    if (systemMessage) await client.tui.showToast({ body: { message: systemMessage, variant: "warning" } })
    if (decision !== "block") return

    // The user may have gone on meanwhile. What this stop was told is stale then; the next stop asks anew.
    const [newest] = await get({ limit: 1 })
    if (state.busy || newest?.info.id !== last.info.id) return
    const begun = messages.findLast((m) => m.info.role === "user")?.info
    return {
      agent: begun?.agent, // without these two a re-prompt would change agent (plan to build) and model
      model: begun?.model && { providerID: begun.model.providerID, modelID: begun.model.modelID },
      variant: begun?.model?.variant,
      parts: [{ type: "text", text: String(reason), metadata: { [mark]: true } }],
    }
  }

  const idle = async (id, event) => {
    const state = session(id)
    if (state.running) {
      state.again = true // another turn may have ended since; evaluate knows whether one did
      return
    }
    state.running = true
    try {
      state.top ??= !state.parent && !(await ask("read session", client.session.get({ path: { id } }))).parentID
      if (!state.top) return // a subagent
      do {
        state.again = false
        const body = await evaluate(id, event)
        if (body) await client.session.promptAsync({ path: { id }, body, throwOnError: true })
      } while (state.again)
    } finally {
      state.running = false
    }
  }

  const created = async (id) => {
    const state = session(id)
    if (state.created) return
    state.created = true
    const payload = { session_id: id, cwd: directory, source: "startup" }
    await run(startSession, startSessionMS, directory, payload, say)
  }

  return {
    dispose: async () => endGroups(directory),
    event: async ({ event }) => {
      const { sessionID, info, status } = event.properties ?? {}
      const id = sessionID ?? info?.id
      try {
        if (event.type === "session.status" && id) session(id).busy = status?.type !== "idle"
        if (event.type === "session.idle" || (event.type === "session.status" && status?.type === "idle")) {
          session(id).busy = false
          await idle(id, event)
        }
        if (event.type === "session.created" && info?.parentID) session(id).parent = info.parentID
        if (event.type === "session.created" && !info?.parentID) await created(id)
        if (event.type === "session.deleted") shared.sessions.delete(id)
      } catch (e) {
        await say(`${event.type}: ${e?.message ?? e}`) // an exception of ours must not disturb OpenCode
      }
    },
  }
}

function session(id) {
  if (!shared.sessions.has(id)) shared.sessions.set(id, { busy: false, running: false, again: false })
  return shared.sessions.get(id)
}

// subagentsWork tells whether some go on in the background; their end begins a turn of the session's.
function subagentsWork(id) {
  return [...shared.sessions.values()].some((s) => s.parent === id && s.busy)
}

// stopped tells whether a session whose newest message is m has just ended a turn by itself: not by
// the user's interruption or a model's error, nor after a compaction or a shell command of the user's.
function stopped(m) {
  return m?.info.role === "assistant" && !!m.info.finish && !m.info.error && !m.info.summary
}

// fromUser tells whether a person wrote m. Compactions and OpenCode itself write messages with that role, too.
function fromUser(m) {
  if (m.info.role !== "user") return false
  return m.parts.some((p) => p.type !== "compaction" && !p.synthetic && !p.metadata?.[mark])
}

function parse(answer) {
  try {
    return JSON.parse(answer)
  } catch {
    throw new Error(`discobot-hooks answered what is no JSON: ${answer.slice(0, 200)}`)
  }
}

// run gives the program's standard output, or "" when it failed, which it says.
function run(args, limitMS, cwd, payload, say) {
  const name = `discobot-hooks ${args.join(" ")}`
  return new Promise((resolve) => {
    const child = spawn("discobot-hooks", args, { cwd, detached: true, stdio: "pipe" })
    const texts = { stdout: "", stderr: "" }
    let over = false
    const done = async (trouble) => {
      if (over) return
      over = true
      clearTimeout(limit)
      shared.groups.delete(child.pid)
      child.stdout?.destroy() // a child of the child may hold them open
      child.stderr?.destroy()
      if (trouble) await say(`${name}: ${trouble}`)
      resolve(trouble ? "" : texts.stdout.trim())
    }
    const limit = setTimeout(() => {
      end(child.pid, "SIGKILL")
      done(`ended after ${limitMS / 1000} s`)
    }, limitMS)
    if (child.pid && args === evalTurn) shared.groups.set(child.pid, cwd)
    for (const stream of ["stdout", "stderr"]) {
      child[stream]?.setEncoding("utf8").on("error", () => {})
      child[stream]?.on("data", (text) => (texts[stream] += text.slice(0, maxOutput - texts[stream].length)))
    }
    child.on("error", (e) => done(e.code === "ENOENT" ? "not found in PATH" : e.message))
    child.on("exit", (code, signal) => {
      const trouble = code === 0 ? "" : `ended with ${signal ?? code}: ${texts.stderr.trim().slice(-500)}`
      setTimeout(() => done(trouble), 1000).unref() // for output that is still in the pipe
      child.on("close", () => done(trouble))
    })
    child.stdin?.on("error", () => {}) // it need not read what it is given
    child.stdin?.end(JSON.stringify(payload))
  })
}

function end(group, signal) {
  try {
    process.kill(-group, signal)
  } catch {} // it has ended by itself
}

// endGroups keeps no evaluation whose answer nobody will read: those of a directory, or all.
function endGroups(directory) {
  for (const [group, cwd] of shared.groups) if (!directory || cwd === directory) end(group, "SIGTERM")
}
