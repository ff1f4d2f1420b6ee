"use strict";
// Speaks with the host, and shows texts of others as text. A view adds `view.draw(answer, view)` and `view.controls`.
const view = { tool: "", input: {}, context: {}, canCall: false };
const page = name => document.getElementById(name);

// Characters that hide, reorder or join others are shown by their code point. Joiners stay between letters that need them.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])/gu;
const visible = text => String(text).replace(UNSEEN, each => `⟨U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

function make(name, given, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given ?? {})) {
    if (value === false || value == null) continue;
    if (key === "on") made.addEventListener("click", value); else made.setAttribute(key, value === true ? "" : visible(value));
  }
  for (const each of inside.flat()) if (each != null && each !== "") made.append(each.nodeType ? each : visible(each));
  return made;
}

let last = 0;
const waiting = new Map();
const send = message => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const tell = (method, params = {}) => send({ method, params });
const ask = (method, params) => new Promise((done, failed) => { waiting.set(++last, { done, failed }); send({ id: last, method, params }); });

// What a tool answered: its structure, or its text where a host hands on nothing else. Throws what it says went wrong.
function read(result) {
  const text = (result.content ?? []).map(each => each.text ?? "").join("\n");
  let data = result.structuredContent;
  if (!data) try { data = JSON.parse(text); } catch { data = null; }
  if (result.isError || data?.ok === false) throw new Error(data?.error?.message ?? (typeof data?.error === "string" ? data.error : text || "The tool failed."));
  return data ? data.data ?? data : { text };
}

const call = async (name, given) => read(await ask("tools/call", { name, arguments: given }));

function say(text, undo) {
  const notice = page("notice");
  notice.hidden = !text;
  notice.replaceChildren(...(text ? [make("p", {}, text)] : []), ...(undo ? [make("button", { type: "button", on: () => attempt(undo) }, "Undo")] : []));
}

// Carry out what a button does; what goes wrong is said.
async function attempt(act) {
  try { await act(); } catch (wrong) { say(wrong.message ?? "The host refused."); }
}

// Call the tool anew, by other arguments where some are given, and draw what it answers.
async function again(changed = {}) {
  view.input = { ...view.input, ...changed };
  draw(await call(view.tool, view.input));
}

function draw(answer) {
  const at = document.activeElement?.id;
  if (answer.text !== undefined) page("drawn").replaceChildren(make("pre", {}, answer.text));
  else page("drawn").replaceChildren(...view.draw(answer).filter(Boolean));
  page("controls").replaceChildren(...(view.canCall ? [...(view.controls?.(answer) ?? []), make("button", { id: "again", type: "button", on: () => attempt(() => again()) }, "Refresh")] : []));
  if (at) page(at)?.focus();
}

function follow(context) {
  Object.assign(view.context, context);
  if (context.theme === "light" || context.theme === "dark") document.documentElement.dataset.theme = context.theme;
  if (context.toolInfo?.tool?.name) view.tool = context.toolInfo.tool.name;
}

const HEARD = {
  "ui/notifications/tool-input": ({ arguments: given }) => { view.input = given ?? {}; },
  "ui/notifications/tool-result": result => {
    try {
      const answer = read(result);
      view.tool ||= view.guess(answer);
      draw(answer);
    } catch (wrong) { page("drawn").replaceChildren(make("p", { class: "callout warn", role: "alert" }, wrong.message)); }
  },
  "ui/notifications/tool-cancelled": ({ reason }) => page("drawn").replaceChildren(make("p", { class: "empty" }, `The call was cancelled. ${reason ?? ""}`)),
  "ui/notifications/host-context-changed": follow,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) asked?.failed(new Error(data.error.message)); else asked?.done(data.result);
  } else if (data.id !== undefined) {
    const known = data.method === "ping" || data.method === "ui/resource-teardown";
    send({ id: data.id, ...(known ? { result: {} } : { error: { code: -32601, message: "Method not found." } }) });
  } else HEARD[data.method]?.(data.params ?? {});
});

addEventListener("DOMContentLoaded", async () => {
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    tell("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
  }).observe(document.documentElement);
  const opened = await ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "almanac", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } });
  view.canCall = Boolean(opened?.hostCapabilities?.serverTools);
  follow(opened?.hostContext ?? {});
  tell("ui/notifications/initialized");
});
