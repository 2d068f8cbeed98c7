// What clients do with the server, each kind at its own rate.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { listen } from "../mcp/listener";
import { client, valueAt } from "../mcp/site";
import type { Work } from "./load";
import { consent, type SoakSite, USERS } from "./site";
import { textAt } from "./upstreams";

const MESSAGE = { channel_name: "general", message: "Hello from the soak" };

const userOf = (turn: number): string => USERS[turn % USERS.length] ?? USERS[0];

function expectSuccess(run: unknown): void {
  const failed = JSON.stringify(run).slice(0, 300);
  if (textAt(run, "success") !== "true") throw new Error(`the run failed: ${failed}`);
}

/** All of them; those of programs only where the cage is supported. */
export function worksOf(site: SoakSite): Work[] {
  const caged = site.caged ? ["Keyed.who"] : [];
  return [
    ...runs(site, caged),
    ...reads(site),
    ...mcp(site, ["Notes.read_file", "Peer.Act", ...caged]),
    ...models(site),
    ...consents(site),
    ...changes(site),
    ...commands(site),
    ...refusals(site),
  ];
}

function runs({ ask, keys }: SoakSite, programs: readonly string[]): Work[] {
  const run = (
    tool: string,
    user: string,
    input: object,
    more: object = {},
    headers = {},
  ): Promise<unknown> =>
    ask("POST", "/v1/tools/execute", {
      key: keys.run,
      body: { tool_name: tool, user_id: user, input, ...more },
      headers,
    });
  const inputs: Record<string, object> = { "Peer.Act": { text: "x".repeat(1000) } };
  const tools = ["Notes.read_file", "Peer.Act", ...programs];
  return [
    {
      name: "execute",
      perMinute: 300,
      most: 8,
      run: async (turn) => expectSuccess(await run("Chat.SendMessage", userOf(turn), MESSAGE)),
    },
    {
      name: "execute of workers",
      perMinute: 120,
      most: 8,
      run: async (turn) => {
        const tool = tools[turn % tools.length] ?? "";
        expectSuccess(await run(tool, userOf(turn), inputs[tool] ?? {}));
      },
    },
    {
      name: "execute again under a key",
      perMinute: 30,
      most: 2,
      run: async (turn) => {
        const headers = { "Idempotency-Key": `soak-${turn}` };
        for (let time = 0; time < 2; time++)
          expectSuccess(await run("Chat.SendMessage", userOf(turn), MESSAGE, {}, headers));
      },
    },
    {
      name: "scheduled run",
      perMinute: 20,
      most: 4,
      run: async (turn) => {
        const run_at = new Date(Date.now() + 1500).toISOString();
        const made = await run("Chat.SendMessage", userOf(turn), MESSAGE, { run_at });
        for (let waited = 0; waited < 600; waited++) {
          const now = await ask("GET", `/v1/scheduled_tools/${textAt(made, "id")}`, { key: keys.run });
          const status = textAt(now, "execution_status");
          if (status === "completed") return;
          if (status === "failed") throw new Error(JSON.stringify(now).slice(0, 300));
          await Bun.sleep(100);
        }
        throw new Error("a scheduled run has not ended within a minute");
      },
    },
  ];
}

const READ = [
  "/v1/tools?limit=100",
  "/v1/formatted_tools?format=openai",
  "/v1/tools/Chat.SendMessage?user_id=alice",
  "/v1/admin/user_connections",
  "/v1/admin/auth_providers",
  "/v1/admin/secrets",
  "/v1/admin/users",
  "/v1/admin/keys",
  "/v1/scheduled_tools?limit=20",
  "/v1/workers",
  "/v1/plugins",
  "/v1/hooks",
  "/v1/models",
  "/v1/health",
  "/v1/swagger",
  "/v1/swagger/ui",
  "/",
];

function reads({ ask }: SoakSite): Work[] {
  return [
    {
      name: "read",
      perMinute: 300,
      most: 6,
      run: async (turn) => void (await ask("GET", READ[turn % READ.length] ?? "/")),
    },
  ];
}

function mcp({ server, keys }: SoakSite, tools: readonly string[]): Work[] {
  const url = `${server.address}/mcp/soak`;
  const names = ["Chat.SendMessage", ...tools].map((tool) => tool.replace(".", "_"));
  const argumentsOf = (name: string): object =>
    name === "Chat_SendMessage" ? MESSAGE : name === "Peer_Act" ? { text: "mcp" } : {};
  const check = (answer: Awaited<ReturnType<ReturnType<typeof client>["legacy"]>>): void => {
    if (
      answer.status !== 200 ||
      valueAt(answer, "result.isError") === true ||
      valueAt(answer, "error") !== undefined
    )
      throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`);
  };
  const callOf = (turn: number) => ({ key: keys.run, user: userOf(turn) });
  return [
    {
      name: "session of MCP 2025",
      perMinute: 60,
      most: 4,
      run: async (turn) => {
        const one = client(url, callOf(turn));
        const { session } = await one.initialize();
        const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
        check(await one.legacy("tools/list", {}, headers));
        const name = names[turn % names.length] ?? "";
        check(await one.legacy("tools/call", { name, arguments: argumentsOf(name) }, headers));
        // Every other client leaves without ending its session.
        if (turn % 2 === 0)
          await fetch(url, {
            method: "DELETE",
            headers: { ...headers, authorization: `Bearer ${keys.run}` },
          });
      },
    },
    {
      name: "calls of MCP 2026",
      perMinute: 90,
      most: 4,
      run: async (turn) => {
        const one = client(url, callOf(turn));
        check(await one.modern("tools/list"));
        const name = names[turn % names.length] ?? "";
        check(await one.modern("tools/call", { name, arguments: argumentsOf(name) }));
      },
    },
    {
      name: "stream of MCP",
      perMinute: 30,
      most: 8,
      run: async (turn) => {
        const call = { ...callOf(turn), signal: AbortSignal.timeout(30_000) };
        await using stream = await listen("modern", url, call);
        if (!stream.response.ok) throw new Error(`the stream began with ${stream.response.status}`);
        await Bun.sleep(2000);
      },
    },
  ];
}

function models({ server, keys, ask }: SoakSite): Work[] {
  const body = (more: object): object => ({
    model: "test-model",
    messages: [{ role: "user", content: "Say hello. ".repeat(100) }],
    tools: ["Chat.SendMessage"],
    tool_choice: "execute",
    user: "alice",
    ...more,
  });
  const path = "/v1/chat/completions";
  return [
    {
      name: "chat completion",
      perMinute: 60,
      most: 4,
      run: async (turn) =>
        void (await ask("POST", path, { key: keys.run, body: body({ stream: turn % 2 === 1 }) })),
    },
    {
      name: "chat completion that its client leaves",
      perMinute: 20,
      most: 2,
      run: async () => {
        const stopped = new AbortController();
        const headers = { authorization: `Bearer ${keys.run}`, "content-type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify(body({ stream: true })) };
        const response = await fetch(server.address + path, { ...init, signal: stopped.signal });
        await response.body?.getReader().read();
        stopped.abort();
      },
    },
  ];
}

function consents({ ask, server }: SoakSite): Work[] {
  return [
    {
      name: "consent",
      perMinute: 20,
      most: 1,
      run: async (turn) => {
        // Another user each time, who leaves afterwards.
        const user = `guest-${turn % 5}`;
        const started = await ask("POST", "/v1/auth/authorize", {
          body: { user_id: user, auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } } },
        });
        const { Browser } = await import("../support/browser");
        await (await new Browser().consent(textAt(started, "url"), "alice")).text();
        await ask("GET", `/v1/auth/status?id=${textAt(started, "id")}`);
        await ask("POST", "/v1/admin/users/export", { body: { user_id: user } });
        await ask("POST", "/v1/admin/users/erase", { body: { user_id: user } });
      },
    },
    {
      name: "consent that is not finished",
      perMinute: 10,
      most: 1,
      run: async (turn) => {
        const user = `left-${turn % 5}`;
        const started = await ask("POST", "/v1/auth/authorize", {
          body: { user_id: user, auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } } },
        });
        await fetch(textAt(started, "url"), { redirect: "manual" });
        await ask("POST", "/v1/admin/users/erase", { body: { user_id: user } });
      },
    },
    {
      name: "consent again",
      perMinute: 6,
      most: 1,
      run: (turn) => consent(ask, userOf(turn)),
    },
    {
      name: "page",
      perMinute: 30,
      most: 2,
      run: async () => void (await (await fetch(`${server.address}/`)).text()),
    },
  ];
}

function changes({ ask }: SoakSite): Work[] {
  return [
    {
      name: "secret",
      perMinute: 60,
      most: 2,
      run: async (turn) => {
        const name = `SOAK_${turn % 20}`;
        await ask("POST", `/v1/admin/secrets/${name}`, { body: { value: `v${turn}` } });
        await ask("DELETE", `/v1/admin/secrets/${name}`, { statuses: [204, 404] });
      },
    },
    {
      name: "key",
      perMinute: 30,
      most: 1,
      run: async (turn) => {
        const made = await ask("POST", "/v1/admin/keys", { body: { name: `soak ${turn}`, role: "read" } });
        await ask("GET", "/v1/tools?limit=1", { key: textAt(made, "key") });
        await ask("DELETE", `/v1/admin/keys/${textAt(made, "id")}`);
      },
    },
    {
      name: "hook and gateway",
      perMinute: 12,
      most: 1,
      run: async (turn) => {
        const made = await ask("POST", "/v1/plugins", {
          body: { name: `soak ${turn}`, plugin_type: "webhook", webhook_config: { endpoints: {} } },
          statuses: [201, 400],
        });
        if (textAt(made, "id") !== "") await ask("DELETE", `/v1/plugins/${textAt(made, "id")}`);
        await ask("POST", "/v1/workers/notes/refresh");
      },
    },
  ];
}

function commands({ installation }: SoakSite): Work[] {
  const run = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await installation.run(args);
    if (code !== 0) throw new Error(`runtime ${args.join(" ")}: ${code} ${stderr.slice(0, 300)}`);
  };
  const lines = [
    ["tools", "list"],
    ["connections", "list"],
    ["tools", "exec", "Chat.SendMessage", "--user", "alice", "--channel_name", "general", "--message", "Hi"],
    ["executions", "list"],
    ["status"],
  ];
  return [
    {
      name: "command",
      perMinute: 6,
      most: 1,
      run: (turn) => run(...(lines[turn % lines.length] ?? [])),
    },
    {
      name: "backup",
      perMinute: 1,
      most: 1,
      run: async (turn) => {
        const file = join(installation.home, `soak-${turn}.backup`);
        await run("backup", "create", file);
        await run("backup", "verify", file);
        rmSync(file);
      },
    },
  ];
}

function refusals({ ask, keys }: SoakSite): Work[] {
  const wrong = (
    method: string,
    path: string,
    status: number,
    body?: object,
    key: string = keys.run,
  ): (() => Promise<unknown>) => {
    const options = { key, statuses: [status], ...(body === undefined ? {} : { body }) };
    return () => ask(method, path, options);
  };
  const all = [
    wrong("GET", "/v1/admin/secrets", 403),
    wrong("GET", "/v1/nothing", 404),
    wrong("POST", "/v1/tools/execute", 400, { tool_name: 1 }),
    wrong("POST", "/v1/tools/execute", 400, { tool_name: "No.Tool", user_id: "alice" }),
    wrong("GET", "/v1/tools", 401, undefined, "rt_wrong"),
  ];
  return [
    {
      name: "refusal",
      perMinute: 40,
      most: 2,
      run: async (turn) => void (await all[turn % all.length]?.()),
    },
  ];
}
