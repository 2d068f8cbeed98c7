// Two users with two own keys call workers in turns and at once: whose key arrives, and where keys can be found afterwards.
import { join } from "node:path";
import { addKeyProvider, giveKey } from "../authorization/key-page";
import { api, at } from "../support/api";
import { bytesOf, found } from "../support/canaries";
import { randomOf } from "../support/long";
import { originOf } from "../../src/origins";
import { type Site, startSite } from "../support/site";
import { keyedHttp, keyedMcp, type KeyedUpstream, markOf } from "../workers/keyed";
import { plainPrograms } from "../workers/stdio/plain-programs";

/** A worker that knows users by their own keys. `provider`: whose keys it gets. */
interface Kind {
  /** Absent: this server starts it. */
  start?(provider: string): KeyedUpstream;
  /** Creates the worker, named like its provider. */
  create(site: Site, id: string, uri: string): Promise<string>;
}

const PROGRAM = join(import.meta.dir, "../workers/keyed-program.ts");

/** The worker of a kind has a tool that answers with the marks of the keys that arrived. */
export const KINDS: Readonly<Record<string, Kind>> = {
  mcp: {
    start: () => keyedMcp(),
    create: async (site, id, uri) => {
      const headers = { "X-Key": `\${user.${id}}` };
      await created(site, { id, mcp: { uri, timeout: 10, retry: 0, headers } });
      return "Mcp.who";
    },
  },
  http: {
    start: keyedHttp,
    create: async (site, id, uri) => {
      await created(site, { id, http: { uri, secret: "signs-calls", timeout: 10, retry: 0 } });
      return "Keyed.Who";
    },
  },
  stdio: {
    create: async (site, id) => {
      const stdio = {
        command: process.execPath,
        arguments: [PROGRAM],
        environment: { SERVICE_KEY: `\${user.${id}}` },
      };
      const operator = await site.runtime.identity.operator("default");
      await site.runtime.workers.create(operator, { id, mcp: { timeout: 10, retry: 0, stdio } });
      return "Stdio.who";
    },
  },
};

export interface Result {
  calls: number;
  /** Answers that were not made with the caller's key, and keys that arrived with calls of the other user. */
  foreign: number;
  failed: number;
  /** Names of keys that were found in answers, log lines, audit entries or files. */
  canaries: string[];
}

const USERS = ["alice", "bob"] as const;
/** A bound for a small machine. */
const AT_ONCE = 16;

async function created(site: Site, record: object): Promise<void> {
  const answer = await api(site.url, await site.key("admin")).post("/v1/workers", record);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

/** Half of the calls are made in turns, the others at once. */
export async function callAsTwoUsers(total: number, seed: number): Promise<Result> {
  await using site = await startSite({ parts: { programs: plainPrograms() } });
  const random = randomOf(seed);
  const kinds = Object.entries(KINDS).map(([id, kind]) => ({ id, kind, upstream: kind.start?.(id) }));
  const keyOf = (user: string, id: string): string => `key-CANARY-of-${user}-for-${id}-0123456789`;
  const canaries = Object.fromEntries(
    USERS.flatMap((user) => kinds.map(({ id }) => [`${user} ${id}`, keyOf(user, id)])),
  );
  const tools: { id: string; tool: string }[] = [];
  for (const { id, kind, upstream } of kinds) {
    const addresses = [originOf(upstream?.uri ?? "")].filter((origin) => origin !== undefined);
    await addKeyProvider(site, { location: "header", addresses }, { id });
    tools.push({ id, tool: await kind.create(site, id, upstream?.uri ?? "") });
    for (const user of USERS) await giveKey(site, user, keyOf(user, id), id);
  }
  const agent = api(site.url, await site.key("run"));
  const result: Result = { calls: 0, foreign: 0, failed: 0, canaries: [] };
  const callOnce = async (): Promise<void> => {
    const user = USERS[Math.floor(random() * USERS.length)] ?? "alice";
    const { id, tool } = tools[Math.floor(random() * tools.length)] ?? { id: "", tool: "" };
    const { body, text } = await agent.post("/v1/tools/execute", {
      tool_name: tool,
      user_id: user,
      input: {},
    });
    const value = at(body, "output.value");
    result.calls++;
    if (typeof value !== "string") result.failed++;
    else if (value !== markOf(keyOf(user, id))) result.foreign++;
    result.canaries.push(...found(canaries, text));
  };
  for (let index = 0; index < total / 2; index++) await callOnce();
  let left = total - result.calls;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await callOnce();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const admin = api(site.url, await site.key("admin"));
  for (const path of [
    "/v1/admin/audit?limit=100",
    "/v1/admin/executions?limit=100",
    "/v1/admin/user_connections",
  ])
    result.canaries.push(...found(canaries, (await admin.get(path)).text));
  result.canaries.push(
    ...found(canaries, site.logLines.join("\n")),
    ...found(canaries, bytesOf(site.folder)),
  );
  for (const { upstream } of kinds) await upstream?.[Symbol.asyncDispose]();
  return result;
}
