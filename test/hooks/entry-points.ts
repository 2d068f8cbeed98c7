// The entry points by which a user runs a tool and sees which tools there are, in a deployment with a webhook as its policy.
import { runProcess } from "../cli/support/processes";
import { until } from "../connections/executing";
import { client as mcpClient } from "../mcp/site";
import { say } from "../sandbox/models/chat-server";
import { movableClock } from "../server/stage";
import type { Principal } from "../../src/identity";
import { api } from "../support/api";
import { type ChatSite, startChatSite } from "../support/chat-site";
import { type WebhookPeer, webhookPeer } from "./webhook-peer";

export interface Way {
  /** Runs a tool for alice and returns everything that the caller receives. */
  run(tool: string, input: { [name: string]: unknown }): Promise<string>;
  /** The tools that alice sees; absent: this entry point has no list. */
  list?(): Promise<string>;
}

const modelName = (tool: string): string => tool.replace(".", "_");

export class EntryPoints implements AsyncDisposable {
  readonly clock = movableClock();
  /** Log lines of commands. */
  readonly terminalLog: string[] = [];
  #parts: { chat: ChatSite; peer: WebhookPeer; operator: Principal } | undefined;

  /** With a gateway `all`, and a hook at each point that must answer. */
  async start(): Promise<void> {
    const chat = await startChatSite({ parts: { clock: this.clock } });
    const peer = await webhookPeer();
    const { runtime } = chat.site;
    const operator = await runtime.identity.operator("default");
    this.#parts = { chat, peer, operator };
    const endpoint = (point: string) => ({
      url: `${peer.url}/${point}`,
      phase: "before" as const,
      failure_mode: "fail_closed" as const,
      timeout_ms: 20_000,
    });
    await runtime.plugins.create(operator, {
      name: "guard",
      plugin_type: "webhook",
      status: "active",
      webhook_config: {
        endpoints: { access: endpoint("access"), pre: endpoint("pre"), post: endpoint("post") },
      },
    });
    await runtime.gateways.create(operator, { name: "All", slug: "all", auth_type: "arcade_header" });
  }

  get parts(): { chat: ChatSite; peer: WebhookPeer; operator: Principal } {
    if (this.#parts === undefined) throw new Error("not started");
    return this.#parts;
  }

  agent = () => api(this.parts.chat.site.url, this.parts.chat.key);
  mcp = () => mcpClient(`${this.parts.chat.site.url}/mcp/all`, { key: this.parts.chat.key, user: "alice" });

  async session(): Promise<Record<string, string>> {
    const { session: id } = await this.mcp().initialize();
    return { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  }

  async commandLine(argv: readonly string[]): Promise<string> {
    const { environment } = this.parts.chat.site;
    const env = { ...environment, RUNTIME_LOG_LEVEL: "debug" };
    const { stdout, stderr, code } = await runProcess(argv, { env });
    this.terminalLog.push(...stderr.split("\n").filter((line) => line !== ""));
    return `${stdout}${stderr}exit ${code}`;
  }

  /** Lets a scheduled run, which is due, end. It may be retried after a while. */
  async ended(id: string): Promise<unknown> {
    const { chat, operator } = this.parts;
    const look = () => chat.site.runtime.tools.scheduled.get(operator, id);
    // The clock stops during an attempt, whose time limit uses it.
    let waited = 0;
    await until(async () => {
      const { attempts, finished_at } = await look();
      if (attempts.length > waited && attempts.at(-1)?.finished_at !== undefined) {
        waited = attempts.length;
        this.clock.move(61_000);
      }
      return finished_at !== undefined;
    });
    return look();
  }

  async #scheduled(tool_name: string, input: object): Promise<string> {
    const { chat, operator } = this.parts;
    const request = { tool_name, user_id: "alice", input: { ...input }, run_at: "2020-01-01T00:00:00" };
    const { id } = await chat.site.runtime.tools.execute(operator, request);
    return JSON.stringify(await this.ended(id));
  }

  async #chat(tool: string, input: object, body: (tools: string[]) => Promise<string>): Promise<string> {
    const call = { name: modelName(tool), arguments: JSON.stringify(input) };
    this.parts.chat.upstream.script((request, reply) => say(request, reply, { calls: [call] }));
    return body([tool]);
  }

  readonly ways: Readonly<Record<string, Way>> = {
    REST: {
      run: async (tool_name, input) =>
        (await this.agent().post("/v1/tools/execute", { tool_name, user_id: "alice", input })).text,
      list: async () => (await this.agent().get("/v1/tools?user_id=alice&limit=100")).text,
    },
    "the terminal on the data folder": {
      run: (tool, input) =>
        this.commandLine(["tools", "exec", tool, "--user", "alice", "--input", JSON.stringify(input)]),
      list: () => this.commandLine(["tools", "list", "--user", "alice", "-o", "json"]),
    },
    "a scheduled run": { run: (tool, input) => this.#scheduled(tool, input) },
    "MCP with sessions": {
      run: async (tool, input) => {
        const call = { name: modelName(tool), arguments: input };
        return (await this.mcp().legacy("tools/call", call, await this.session())).text;
      },
      list: async () => (await this.mcp().legacy("tools/list", {}, await this.session())).text,
    },
    "MCP without sessions": {
      run: async (tool, input) =>
        (await this.mcp().modern("tools/call", { name: modelName(tool), arguments: { ...input } })).text,
      list: async () => (await this.mcp().modern("tools/list")).text,
    },
    "the chat loop": {
      run: (tool, input) =>
        this.#chat(tool, input, async (tools) => {
          const messages = [{ role: "user", content: "Do it." }];
          const request = { model: "test-model", messages, user: "alice", tools, tool_choice: "execute" };
          return (await this.parts.chat.ask(request)).text;
        }),
    },
    responses: {
      run: (tool, input) =>
        this.#chat(tool, input, async (tools) => {
          const request = {
            model: "test-model",
            input: "Do it.",
            user: "alice",
            tools,
            tool_choice: "execute",
          };
          return (await this.agent().post("/v1/responses", request)).text;
        }),
    },
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.parts.peer[Symbol.dispose]();
    await this.parts.chat[Symbol.asyncDispose]();
  }
}
