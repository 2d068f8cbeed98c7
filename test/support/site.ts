// A whole deployment in this process: temporary folders, runtime, HTTP server on a free port, chat platform beside it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { createLog, systemClock } from "../../src/base";
import { loadConfig } from "./config";
import type { Role } from "../../src/identity";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import type { Catalog } from "../../src/tools";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../sandbox/chat";
import { sameDatabase } from "./postgres-engine";

export { chatProvider };

type ChatOptions = NonNullable<Parameters<typeof startChatSandbox>[0]>;

export interface SiteOptions {
  parts?: RuntimeParts;
  /** More of `RUNTIME_…`. */
  environment?: Record<string, string>;
  /** Given: used, and left running at the end. */
  chat?: ChatSandbox;
  chatOptions?: ChatOptions;
  folder?: string;
  /** Beside those of the product. */
  moreCatalogs?: readonly Catalog[];
}

export interface Site extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly runtime: Runtime;
  readonly chat: ChatSandbox;
  /** Lines of the log, at level debug. */
  readonly logLines: string[];
  /** What a `runtime` process of this deployment needs in its environment. */
  readonly environment: Record<string, string>;
  /** A new API key of the project. */
  key(role: Role, users?: string[], project?: string): Promise<string>;
  /** Creates the provider `slack` that leads to the stand-in. */
  addChatProvider(project?: string): Promise<void>;
}

export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const chat = options.chat ?? (await startChatSandbox(options.chatOptions));
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "runtime-site-"));
  const environment = {
    HOME: folder,
    RUNTIME_PORT: "0",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: chat.apiUrl,
    ...options.environment,
  };
  const logLines: string[] = [];
  const log = createLog({ level: "debug", clock: systemClock, write: (line) => logLines.push(line) });
  const all = { ...extensions, catalogs: [...extensions.catalogs, ...(options.moreCatalogs ?? [])] };
  const runtime = await createRuntime(loadConfig({ environment }), all, { log, ...options.parts });
  const server = await startServer(runtime);
  return {
    url: server.address,
    folder,
    runtime,
    chat,
    logLines,
    environment: { ...environment, ...sameDatabase(loadConfig({ environment }).dataFolder()) },
    key: async (role, users, project = "default") => {
      const principal = await runtime.identity.operator(project);
      const record = await runtime.identity.createKey(principal, {
        name: `test ${role}`,
        role,
        ...(users === undefined ? {} : { users }),
      });
      return record.key ?? "";
    },
    addChatProvider: async (project = "default") => {
      await runtime.providers.create(await runtime.identity.operator(project), chatProvider(chat));
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await runtime.close();
      if (options.chat === undefined) await chat.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
