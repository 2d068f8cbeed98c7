// A server as a process with a record of every kind, and what a client of it needs.
import { join } from "node:path";
import { mkdirSync, writeFileSync } from "node:fs";
import { cageSupport } from "../../src/processes";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { Browser } from "../support/browser";
import { Installation, type RunningServer } from "../support/runtime-process";
import { startUpstreams, textAt, type Upstreams } from "./upstreams";

export const USERS = ["alice", "bob"] as const;

const ROOT = join(import.meta.dir, "..", "..");
const SECRET = "a-secret-of-the-worker-0123456789";

export interface SoakSite extends AsyncDisposable {
  readonly installation: Installation;
  readonly server: RunningServer;
  readonly chat: ChatSandbox;
  readonly upstreams: Upstreams;
  readonly keys: { admin: string; run: string };
  /** Where the server writes what it has measured. */
  readonly measures: string;
  readonly caged: boolean;
  /** One request; throws on a status that was not expected. */
  ask(method: string, path: string, options?: AskOptions): Promise<unknown>;
}

export interface AskOptions {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  /** Default: every status below 400. */
  statuses?: readonly number[];
}

export async function startSoakSite(): Promise<SoakSite> {
  const chat = await startChatSandbox({ rotation: { expiresIn: 60 } });
  const upstreams = startUpstreams();
  const installation = new Installation(chat, [
    process.execPath,
    "--preload",
    join(import.meta.dir, "measured.ts"),
    join(ROOT, "cli", "main.ts"),
  ]);
  const measures = join(installation.home, "measures.jsonl");
  writeFileSync(measures, "");
  mkdirSync(join(installation.home, "backups"));
  Object.assign(installation.environment, {
    SOAK_FILE: measures,
    RUNTIME_SESSION_VERIFICATION: "page_only",
    RUNTIME_MODELS: JSON.stringify([
      { id: "local", models: ["test-model"], openai: { base_url: `${upstreams.url}/model`, api_key: "k" } },
    ]),
    RUNTIME_BACKUP_FOLDER: join(installation.home, "backups"),
    RUNTIME_BACKUP_KEEP: "3",
  });
  const keys = { admin: await installation.key("admin"), run: await installation.key("run") };
  await installation.addChatProvider(chat);
  const server = await installation.serve("--log-level", "warn");
  const ask = asking(server.address, keys.admin);
  await addRecords(ask, upstreams.url);
  const caged = cageSupport().supported;
  if (caged) await addProgram(installation);
  for (const user of USERS) await consent(ask, user);
  return {
    installation,
    server,
    chat,
    upstreams,
    keys,
    measures,
    caged,
    ask,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
      await upstreams[Symbol.asyncDispose]();
      await chat.stop();
    },
  };
}

function asking(address: string, admin: string): SoakSite["ask"] {
  return async (method, path, { body, key = admin, headers, statuses } = {}) => {
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const expected = statuses?.includes(response.status) ?? response.status < 400;
    if (!expected) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text;
  };
}

/** Consents to send messages, as a user with a browser. */
export async function consent(ask: SoakSite["ask"], user: string): Promise<void> {
  const started = await ask("POST", "/v1/tools/authorize", {
    body: { tool_name: "Chat.SendMessage", user_id: user },
  });
  if (textAt(started, "status") === "completed") return;
  const page = await new Browser().consent(textAt(started, "url"), user);
  if (page.status >= 400) throw new Error(`the consent of ${user} ended with ${page.status}`);
  await page.text();
}

async function addRecords(ask: SoakSite["ask"], upstream: string): Promise<void> {
  const endpoint = (point: string): object => ({
    url: `${upstream}/hook/${point}`,
    phase: "before",
    failure_mode: "fail_closed",
    priority: 1,
  });
  const endpoints = { pre: endpoint("pre"), post: endpoint("post") };
  const plugin = await ask("POST", "/v1/plugins", {
    body: { name: "policy", plugin_type: "webhook", webhook_config: { endpoints } },
  });
  await ask("PATCH", `/v1/plugins/${textAt(plugin, "id")}`, { body: { status: "active" } });
  await ask("POST", "/v1/workers", {
    body: { id: "notes", mcp: { uri: `${upstream}/mcp`, timeout: 10, retry: 0 } },
  });
  await ask("POST", "/v1/workers", {
    body: { id: "peer", http: { uri: `${upstream}/http`, secret: SECRET, timeout: 10, retry: 0 } },
  });
  await ask("POST", "/v1/orgs/default/projects/default/gateways", {
    body: {
      name: "Soak",
      slug: "soak",
      auth_type: "arcade_header",
      tool_filter: {
        allowed_tools: ["Chat.SendMessage", "Chat.WhoAmI", "Notes.read_file", "Peer.Act", "Keyed.who"],
      },
    },
  });
}

async function addProgram(installation: Installation): Promise<void> {
  const folder = join(ROOT, "test", "workers");
  const program = join(folder, "keyed-program.ts");
  const flags = ["--id", "keyed", "--yes", "--updates", "auto", "--read", process.execPath, "--read", folder];
  const made = await installation.run(["workers", "create", ...flags, "--", process.execPath, program]);
  if (made.code !== 0) throw new Error(made.stderr);
}
