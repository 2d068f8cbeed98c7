// The environment of a script: the executable, its server on a new data folder, the stand-in of the chat platform, and a
// person with a browser.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { Browser } from "../support/browser";
import { chatProvider } from "../sandbox/chat";
import { Installation } from "../support/runtime-process";
import type { Mode, Step } from "./script";

export interface Stage extends AsyncDisposable {
  executable: string;
  chat: ChatSandbox;
  helpers: string;
}

const PRELUDE = `
set -o pipefail
runtime() { "$PROGRAM" "$@"; }
# A person opens the address of a consent and says yes; without an address no permission is missing.
consent() { [ "$1" = null ] || curl -sf --get "$HELPERS/consent" --data-urlencode "url=$1" --data-urlencode "person=$2"; }
# Says how many JSON values are on standard input.
json_values() { jq -s length; }
`;

export async function startStage(executable: string): Promise<Stage> {
  const chat = await startChatSandbox();
  const helpers = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/consent") {
        await new Browser().consent(searchParams.get("url") ?? "", searchParams.get("person") ?? "");
        return new Response();
      }
      if (pathname === "/llm/v1/chat/completions") return modelAnswer(await request.json());
      if (pathname === "/mcp") return mcpAnswer(await request.text());
      if (pathname.startsWith("/limited/"))
        return Response.json({ name: "rate_limited", message: "Too many requests." }, { status: 429 });
      if (pathname.startsWith("/slow/")) return new Promise<Response>(() => {});
      return new Response("<html>", { status: 502 });
    },
  });
  return {
    executable,
    chat,
    helpers: helpers.url.origin,
    [Symbol.asyncDispose]: async () => {
      await helpers.stop(true);
      await chat.stop();
    },
  };
}

/** An MCP server without sessions and with one tool. */
export function mcpAnswer(text: string): Response {
  const { id, method, params } = JSON.parse(text === "" ? "{}" : text);
  const answer = (fields: object) => Response.json({ jsonrpc: "2.0", id, ...fields });
  if (id === undefined) return new Response(null, { status: 202 });
  const { protocolVersion } = Object(params);
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "files", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "read_file", description: "Reads a file.", inputSchema }] },
    "tools/call": { content: [{ type: "text", text: "contents" }] },
  };
  const result = results[method];
  if (result === undefined || (method === "initialize" && protocolVersion === undefined))
    return answer({ error: { code: -32601, message: "not found" } });
  return answer({ result });
}

/** A language model with a fixed answer. */
export function modelAnswer(request: unknown): Response {
  const { model, stream } = Object(request);
  const head = { id: "c1", created: 1, model };
  const say = { role: "assistant", content: "Hi there." };
  if (stream !== true) {
    const choices = [{ index: 0, message: say, finish_reason: "stop" }];
    return Response.json({ ...head, object: "chat.completion", choices });
  }
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return new Response(`${chunk(say, null)}${chunk({}, "stop")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
}

/** A new installation with a server, and a function that runs steps. */
export async function startRun({ executable, chat, helpers }: Stage, mode: Mode) {
  const installation = new Installation(chat, [executable]);
  const server = await installation.serve();
  const key = await installation.key("admin");
  const runKey = await installation.key("run");
  const home = mkdtempSync(join(tmpdir(), "runtime-acceptance-"));
  const work = join(home, "work");
  mkdirSync(work);
  const provider = join(home, "provider.json");
  writeFileSync(provider, JSON.stringify(chatProvider(chat)));
  writeFileSync(join(home, "key"), key);
  writeFileSync(join(home, "run-key"), runKey);
  // Direct mode uses the server's data folder. Server mode acts like another machine.
  const place: Record<string, string> =
    mode === "direct"
      ? installation.environment
      : {
          HOME: home,
          PATH: process.env["PATH"] ?? "",
          RUNTIME_SERVER: server.address,
          RUNTIME_API_KEY: key,
        };
  const env = {
    ...place,
    PROGRAM: executable,
    HELPERS: helpers,
    PROVIDER: provider,
    SERVER: server.address,
    KEY_FILE: join(home, "key"),
    RUN_KEY_FILE: join(home, "run-key"),
  };
  const run = async ({ command }: Step): Promise<Ran> => {
    const child = Bun.spawn(["bash", "-c", `${PRELUDE}\n${command}`], {
      env,
      cwd: work,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 30_000,
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { stdout, stderr, code: await child.exited };
  };
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      await installation[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
