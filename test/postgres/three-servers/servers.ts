// Three servers on one PostgreSQL in this process. They share the database, the root key's file and the public address, as
// behind a proxy; each has a data folder of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import { type Server, startServer } from "../../../server";
import { createLog, systemClock } from "../../../src/base";
import type { Principal, Role } from "../../../src/identity";
import type { RuntimeParts } from "../../../src/open-core";
import { createRuntime, type Runtime } from "../../../src/runtime";
import { type ChatSandbox, chatProvider, startChatSandbox } from "../../sandbox/chat";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { loadConfig } from "../../support/config";
import { type Cluster, startCluster } from "../../support/postgres/cluster";

export const SERVERS = 3;

export interface OneServer {
  readonly runtime: Runtime;
  readonly address: string;
}

export interface ThreeServers extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly chat: ChatSandbox;
  readonly all: readonly OneServer[];
  readonly operator: Principal;
  readonly logLines: string[];
  /** Settings of each server, as environment variables; without those of its own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The server at an index; they take turns. */
  at(index: number): OneServer;
  key(role: Role): Promise<string>;
  /** Consents as a user at one server, to whatever the tool needs. */
  consent(key: string, user: string, tool: string, index?: number): Promise<void>;
}

export interface ThreeServersOptions {
  environment?: Record<string, string>;
  parts?: RuntimeParts;
  chat?: Parameters<typeof startChatSandbox>[0];
}

export async function startThreeServers(options: ThreeServersOptions = {}): Promise<ThreeServers> {
  const home = mkdtempSync(join(tmpdir(), "runtime-three-"));
  const cluster = await startCluster();
  const chat = await startChatSandbox(options.chat);
  const environment = {
    HOME: home,
    RUNTIME_PORT: "0",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: chat.apiUrl,
    RUNTIME_DATABASE_URL: cluster.url(),
    RUNTIME_ROOT_KEY_FILE: join(home, "root.key"),
    ...options.environment,
  };
  const rootKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
  writeFileSync(environment.RUNTIME_ROOT_KEY_FILE, `${rootKey}\n`, { mode: 0o600 });
  const logLines: string[] = [];
  const log = createLog({ level: "info", clock: systemClock, write: (line) => logLines.push(line) });
  const all: (OneServer & { server: Server })[] = [];
  for (let index = 0; index < SERVERS; index++) {
    const own = {
      ...environment,
      RUNTIME_DATA_DIR: join(home, `data-${index}`),
      ...(all[0] === undefined ? {} : { RUNTIME_PUBLIC_URL: all[0].address }),
    };
    const config = loadConfig({ environment: own });
    const runtime = await createRuntime(config, extensions, { log, ...options.parts });
    const server = await startServer(runtime);
    all.push({ runtime, server, address: server.address });
  }
  const serverAt = (index: number): OneServer => {
    const one = all[index % all.length];
    if (one === undefined) throw new Error("there is no server");
    return one;
  };
  const { runtime } = serverAt(0);
  const operator = await runtime.identity.operator("default");
  await runtime.providers.create(operator, chatProvider(chat));
  return {
    cluster,
    chat,
    all,
    operator,
    logLines,
    environment,
    at: serverAt,
    key: async (role) => (await runtime.identity.createKey(operator, { name: role, role })).key ?? "",
    consent: async (key, user, tool, index = 0) => {
      const request = { tool_name: tool, user_id: user };
      const started = await api(serverAt(index).address, key).post("/v1/tools/authorize", request);
      await new Browser().consent(String(at(started.body, "url")), user);
    },
    [Symbol.asyncDispose]: async () => {
      for (const { server } of all) await server.stop();
      for (const one of all) await one.runtime.close();
      await chat.stop();
      await cluster[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
