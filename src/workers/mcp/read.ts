// Reads the catalog of an MCP server. What breaks a rule is left out with its reason; the rest stays.
import { isObject, type JsonObject } from "../../base";
import {
  type Listed,
  listAll,
  type McpPeer,
  METHOD_NOT_FOUND,
  ServerError,
  type ServerFacts,
} from "../../mcp";
import { cleanDescription } from "../foreign";
import { type AskOptions, type LoadedWorker, PassingFailure, type ReadCatalog, type Skipped } from "../tool";
import { toolFrom, upstreamName } from "./definition";
import { ASKING } from "./asks";
import { programFailure, workerFailure } from "./failures";
import { namesOf } from "./names";
import { offeredOf } from "./offered";
import { type Administrator, headersOf, type McpParts, ownReach, serverKey, sessionKey } from "./reach";
import { complete, getPrompt, readResource } from "./reserved";

/** For one request. */
const REQUEST_MS = 10_000;
/** For everything together. */
const WHOLE_MS = 30_000;
/** For a program, which may have to download its packages. */
const PROGRAM_MS = 150_000;
const FIRST_WAIT_MS = 250;
/** So many tools are read in one go. The event loop then serves others. */
const AT_ONCE = 100;
const MOST_SKIPPED = 1000;
const LONGEST_TEXT = 200;
const MOST_INSTRUCTIONS = 16_384;

/** Throws `WorkerFailure`. */
export function readCatalog(
  parts: McpParts,
  worker: LoadedWorker,
  options: AskOptions,
): Promise<ReadCatalog> {
  return asking(parts, worker, options, async (peer) => {
    const facts = await peer.facts();
    const reading = new Reading(peer, facts);
    return {
      ...(await reading.tools()),
      ...(await reading.others()),
      skipped: reading.skipped,
      ...serverOf(facts),
    };
  });
}

/** Throws `WorkerFailure`. */
export function probeServer(
  parts: McpParts,
  worker: LoadedWorker,
  options: AskOptions,
): Promise<Pick<ReadCatalog, "server">> {
  return asking(parts, worker, options, async (peer) => {
    const { server } = serverOf(await peer.facts());
    return server === undefined ? {} : { server };
  });
}

/** Asks with the time limits of catalogs, and again as often as the record says: nothing is changed by it. */
async function asking<T>(
  parts: McpParts,
  worker: LoadedWorker,
  { token, userId, userKeys, signal }: AskOptions,
  ask: (peer: McpPeer) => Promise<T>,
): Promise<T> {
  const whole = AbortSignal.timeout(worker.stdio === undefined ? WHOLE_MS : PROGRAM_MS);
  const ended = signal === undefined ? whole : AbortSignal.any([whole, signal]);
  const user = userId === undefined ? undefined : { id: userId, keys: userKeys ?? {} };
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(parts, worker, { token, user, signal: ended }, ask);
    } catch (thrown) {
      const failure = workerFailure(worker, thrown);
      const isLast = attempt >= worker.retry || ended.aborted;
      if (!(failure instanceof PassingFailure) || isLast) throw failure;
      await parts.clock.sleep(FIRST_WAIT_MS * 2 ** attempt, ended);
    }
  }
}

async function once<T>(
  parts: McpParts,
  worker: LoadedWorker,
  { signal, ...by }: Administrator & { signal: AbortSignal },
  ask: (peer: McpPeer) => Promise<T>,
): Promise<T> {
  const headers = await headersOf(worker, by.user);
  await using reach = await ownReach(parts, worker, by);
  const { send } = reach;
  // A session of its own, which is not kept: with a token it is that of an administrator.
  const rest = [crypto.randomUUID()];
  const session = sessionKey(worker, headers, { userId: "", connectionId: "", actor: "", rest });
  const peer = parts.client.peer({
    server: serverKey(worker),
    session,
    send,
    ends: send,
    // Some servers list what asks the user only for clients that can.
    capabilities: ASKING,
    liveCapabilities: ASKING,
    timeoutMs: Math.min(worker.timeoutMs, REQUEST_MS),
    signal,
  });
  try {
    const answer = await ask(peer);
    await reach.answered();
    return answer;
  } catch (thrown) {
    throw worker.stdio === undefined ? thrown : programFailure(worker, thrown, reach.lastWords());
  } finally {
    await parts.client.sessions.end(session);
  }
}

class Reading {
  readonly skipped: Skipped[] = [];
  readonly #peer: McpPeer;
  readonly #facts: ServerFacts;

  constructor(peer: McpPeer, facts: ServerFacts) {
    this.#peer = peer;
    this.#facts = facts;
  }

  async tools(): Promise<Pick<ReadCatalog, "tools" | "ttlMs" | "isPrivate" | "offers">> {
    const { prompts, resources, completions } = this.#facts.capabilities;
    const listed = await this.#list("tools/list", this.#facts.capabilities["tools"] !== undefined);
    const reserved = [
      ...(isObject(resources) ? [readResource] : []),
      ...(isObject(prompts) ? [getPrompt] : []),
      ...(isObject(completions) ? [complete] : []),
    ];
    const tools = await this.#readTools(
      listed,
      reserved.map(({ name }) => name),
    );
    return {
      tools: [...tools, ...reserved],
      ...(listed.ttlMs === undefined ? {} : { ttlMs: listed.ttlMs }),
      ...(listed.isPrivate ? { isPrivate: true } : {}),
      offers: {
        ...(isObject(prompts) ? { prompts: true } : {}),
        ...(isObject(resources) ? { resources: true } : {}),
        ...(isObject(completions) ? { completions: true } : {}),
      },
    };
  }

  async others(): Promise<Pick<ReadCatalog, "prompts" | "resources" | "resourceTemplates">> {
    const { prompts, resources } = this.#facts.capabilities;
    return {
      ...(isObject(prompts) ? { prompts: await this.#entries("prompts/list", "name") } : {}),
      ...(isObject(resources)
        ? {
            resources: await this.#entries("resources/list", "uri"),
            resourceTemplates: await this.#entries("resources/templates/list", "uriTemplate"),
          }
        : {}),
    };
  }

  async #readTools({ items }: Listed, taken: readonly string[]): Promise<ReadCatalog["tools"]> {
    const named = items.map((item) => upstreamName(item));
    const names = namesOf(
      named.filter((name) => name !== undefined),
      taken,
    );
    const tools: ReadCatalog["tools"] = [];
    for (const [index, item] of items.entries()) {
      const upstream = named[index];
      const name = upstream === undefined ? undefined : names.get(upstream);
      if (upstream === undefined || name === undefined || !isObject(item)) {
        this.#skip(`tool ${index + 1}`, "its name is not a text of 1 to 128 characters");
        continue;
      }
      const shown = cleanDescription(upstream);
      const tool = toolFrom(item, { name, upstream, modern: this.#facts.modern }, (reason) =>
        this.#skip(shown, reason),
      );
      if (typeof tool === "string") this.#skip(shown, tool);
      else tools.push(tool);
      if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    return tools;
  }

  async #entries(method: Parameters<typeof listAll>[1], key: string): Promise<JsonObject[]> {
    const { items } = await this.#list(method, false);
    return offeredOf(items, key, (reason) => this.#skip(method, reason));
  }

  /** Servers may announce what they do not have. A list that is not `required` may then be absent. */
  async #list(method: Parameters<typeof listAll>[1], isRequired: boolean): Promise<Listed> {
    try {
      const listed = await listAll(this.#peer, method);
      for (const name of listed.repeated)
        this.#skip(cleanDescription(name), `it is in the list twice (${method})`);
      if (listed.cut !== undefined) this.#skip(method, `the list was cut: ${listed.cut}`);
      return listed;
    } catch (thrown) {
      if (isRequired || !(thrown instanceof ServerError)) throw thrown;
      if (thrown.code !== METHOD_NOT_FOUND)
        this.#skip(method, `the server answered with the error ${thrown.code}`);
      return { items: [], repeated: [], isPrivate: false };
    }
  }

  #skip(name: string, reason: string): void {
    if (this.skipped.length < MOST_SKIPPED) this.skipped.push({ name, reason });
    else if (this.skipped.length === MOST_SKIPPED) this.skipped.push({ name: "…", reason: "and more" });
  }
}

function serverOf({ info, instructions }: ServerFacts): Pick<ReadCatalog, "server" | "instructions"> {
  const text = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? cleanDescription(value).slice(0, LONGEST_TEXT) : undefined;
  const [name, version, title, description] = ["name", "version", "title", "description"].map((key) =>
    text(info[key]),
  );
  return {
    ...(name === undefined
      ? {}
      : {
          server: {
            name,
            ...(version === undefined ? {} : { version }),
            ...(title === undefined ? {} : { title }),
            ...(description === undefined ? {} : { description }),
          },
        }),
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, MOST_INSTRUCTIONS) }),
  };
}
