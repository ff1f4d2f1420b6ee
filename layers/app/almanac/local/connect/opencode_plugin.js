// Written by `almanac connect`, which also removes it: `almanac connect opencode --undo`.
import { spawn } from "node:child_process"

const command = COMMAND
const edits = ["edit", "write", "patch", "multiedit"]

function send(event) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    let answer = ""
    child.stdout.on("data", (chunk) => { answer += chunk })
    child.on("error", () => resolve({}))
    child.on("close", () => {
      try { resolve(JSON.parse(answer || "{}")) } catch { resolve({}) }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

export const Almanac = async ({ directory }) => {
  const started = new Set()
  const assistants = new Map()
  const replies = new Map()
  const hook = (name, session, more) => send({ hook_event_name: name, sessionID: session, cwd: directory, ...more })
  return {
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!texts.length) return
      const told = []
      if (!started.has(input.sessionID)) {
        started.add(input.sessionID)
        told.push(await hook("SessionStart", input.sessionID, { source: "startup" }))
      }
      const prompt = texts.map((part) => part.text).join("\n")
      told.push(await hook("UserPromptSubmit", input.sessionID, { prompt }))
      const text = told.map((one) => one.context).filter(Boolean).join("\n")
      if (text) output.parts.push({ ...texts[0], id: `prt_almanac${Date.now()}`, text, synthetic: true })
    },
    "tool.execute.after": async (input, output) => {
      if (!edits.includes(input.tool)) return
      const args = input.args ?? output.metadata ?? {}
      void hook("PostToolUse", input.sessionID, { tool_name: input.tool, tool_input: args })
    },
    event: async ({ event }) => {
      const { info, part, sessionID } = event.properties ?? {}
      if (event.type === "message.updated" && info?.role === "assistant") assistants.set(info.id, info.sessionID)
      if (event.type === "message.part.updated" && part?.type === "text" && assistants.has(part.messageID)) {
        replies.set(part.messageID, part)
      }
      if (event.type !== "session.idle") return
      const mine = [...replies].filter(([, one]) => one.sessionID === sessionID)
      for (const [id] of mine) { replies.delete(id); assistants.delete(id) }
      const reply = mine.map(([, one]) => one.text).join("\n").trim()
      if (reply) await hook("AfterAgent", sessionID, { prompt_response: reply })
    },
  }
}
