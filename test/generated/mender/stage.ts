// A deployment with all platforms, and its three entry points as a caller without any knowledge of it uses them.
import { systemClock } from "../../../src/base";
import { newTerminal } from "../../cli/support/fake-io";
import { client } from "../../mcp/site";
import { say, startModelServer, type Turn } from "../../sandbox/models/chat-server";
import { type Platforms, startPlatforms } from "../../sandbox/platforms";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { startSite } from "../../support/site";
import { ProjectWorkers } from "../project-workers";
import { TOOL_NAMES as BUILT_IN, WORKER_TOOL_NAMES } from "../world";
import { type Answer, attempts, type Call, type Tools } from "./caller";
import type { Input } from "./mender";
import { validInputs } from "./valid-inputs";

/** Built-in tools, and those of workers. */
export const TOOL_NAMES = [...BUILT_IN, ...WORKER_TOOL_NAMES];

const USER = "alice";
const MODEL = "mender";
/** Limits per minute are not what is tested. Single calls follow each other closely, so that caches answer all alike. */
const STEP_MS = { mend: 61_000, call: 2_000 };

/** The answers to a tool's calls, in order, until one succeeds or nothing can be mended. */
export type Calls = readonly (Call & Answer)[];

export type EntryPoint = "REST" | "MCP" | "a chat loop" | "the terminal";

export interface Stage extends AsyncDisposable {
  readonly platforms: Platforms;
  readonly tools: Tools;
  /** Calls the tool until it succeeds or the mender gives up. */
  mend(entryPoint: EntryPoint, tool: string, input: Input): Promise<Calls>;
  /** One call, without any mending. */
  call(entryPoint: EntryPoint, tool: string, input: Input): Promise<Answer>;
  validInputs(): Record<string, Input>;
}

export async function startStage(): Promise<Stage> {
  const platforms = await startPlatforms();
  const models = await startModelServer();
  let ahead = 0;
  const site = await startSite({
    chat: platforms.chat,
    environment: {
      ...platforms.environment,
      RUNTIME_MODELS: JSON.stringify([
        { id: "local", models: [MODEL], openai: { base_url: models.url, api_key: "a key" } },
      ]),
    },
    parts: { clock: { ...systemClock, now: () => systemClock.now() + ahead } },
  });
  const operator = await site.runtime.identity.operator("default");
  for (const one of platforms.providers) await site.runtime.providers.create(operator, one);
  for (const [key, value] of Object.entries(platforms.secrets))
    await site.runtime.secrets.upsert(operator, key, { value });
  const workers = new ProjectWorkers("", "a secret", "another one");
  await workers.create(site, "default");
  await site.runtime.gateways.create(operator, {
    name: "All",
    slug: "all",
    auth_type: "arcade_header",
    tool_filter: { allowed_tools: TOOL_NAMES },
  });
  const key = await site.key("admin");
  const http = api(site.url, key);
  const wish = { tool_names: TOOL_NAMES, user_id: USER, authorize: true };
  const { body } = await http.post("/v1/tools/requirements", wish);
  for (const item of Object.values(Object(at(body, "authorization.items"))))
    await new Browser().consent(String(at(item, "url")), "alice");

  const overRest = async ({ tool, input }: Call): Promise<Answer> => {
    const answer = await http.post("/v1/tools/execute", { tool_name: tool, input, user_id: USER });
    const error = at(answer.body, "output.error") ?? (answer.status >= 400 ? answer.body : undefined);
    return error === undefined
      ? { ok: true, text: JSON.stringify(at(answer.body, "output.value")) }
      : { ok: false, text: textOf([at(error, "message"), at(error, "additional_prompt_content")]) };
  };
  const mcp = client(`${site.url}/mcp/all`, { key, user: USER });
  const mcpName = (tool: string): string => tool.replace(".", "_");
  const overMcp = async ({ tool, input }: Call): Promise<Answer> => {
    const { messages } = await mcp.modern("tools/call", { name: mcpName(tool), arguments: input });
    const text = textOf([at(messages.at(-1), "result.content.0.text"), at(messages.at(-1), "error.message")]);
    return {
      ok: at(messages.at(-1), "result") !== undefined && at(messages.at(-1), "result.isError") !== true,
      text,
    };
  };
  const terminal = newTerminal({ RUNTIME_API_KEY: key });
  const overTerminal = async ({ tool, input }: Call): Promise<Answer> => {
    const words = ["tools", "exec", tool, "--user", USER, "--input", "-", "-o", "json", "--server", site.url];
    const { stdout } = await terminal.run(words, { stdin: JSON.stringify(input) });
    const printed: unknown = JSON.parse(stdout);
    const error = at(printed, "output.error") ?? at(printed, "error");
    return error === undefined
      ? { ok: true, text: JSON.stringify(at(printed, "output.value")) }
      : { ok: false, text: textOf([at(error, "message"), at(error, "additional_prompt_content")]) };
  };
  const tools: Tools = await toolsOf(http);
  // What the tools read: a conversation of three, and an export that was begun.
  const message = { usernames: ["bob", "carol"], message: "Hello." };
  await overRest({ tool: "Chat.SendMessage", input: message });
  const begun = await overRest({
    tool: "VendorCreatorApi.CreateBulkReadJob",
    input: validInputs(platforms, "")["VendorCreatorApi.CreateBulkReadJob"] ?? {},
  });
  const job = /"id":"(\d+)"/.exec(begun.text)?.[1] ?? "";
  const stepBy = (ms: number) => (): void => {
    ahead += ms;
    platforms.records.move(ms);
  };
  const entryPoints: Readonly<Record<EntryPoint, (calling: Calling, step: () => void) => Promise<Calls>>> = {
    REST: (calling, step) => driven(overRest, calling, step),
    MCP: (calling, step) => driven(overMcp, calling, step),
    "the terminal": (calling, step) => driven(overTerminal, calling, step),
    "a chat loop": async (calling, step) => {
      // Not between the calls: the server would give up waiting for the model.
      step();
      const { turn, calls } = modelWith(calling);
      models.script(turn);
      const asked = await http.post("/v1/chat/completions", {
        model: MODEL,
        messages: [{ role: "user", content: "Do it." }],
        user: USER,
        tools: TOOL_NAMES,
        tool_choice: "generate",
      });
      if (asked.status !== 200) throw new Error(asked.text);
      return calls;
    },
  };
  return {
    platforms,
    tools,
    mend: (entryPoint, tool, input) =>
      entryPoints[entryPoint](attempts(tools, { tool, input }), stepBy(STEP_MS.mend)),
    call: async (entryPoint, tool, input) => {
      const [first] = await entryPoints[entryPoint](once({ tool, input }), stepBy(STEP_MS.call));
      if (first === undefined) throw new Error("The tool was not called.");
      return first;
    },
    validInputs: () => validInputs(platforms, job),
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await workers[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
      await platforms[Symbol.asyncDispose]();
    },
  };
}

/** What listings say about the tools: their input schemas. */
async function toolsOf(http: ReturnType<typeof api>): Promise<Tools> {
  const schemas = TOOL_NAMES.map(async (name): Promise<[string, unknown]> => {
    const { body } = await http.get(`/v1/formatted_tools/${name}?format=mcp`);
    return [name, at(body, "inputSchema")];
  });
  return Object.fromEntries(await Promise.all(schemas)) as Tools;
}

/** The calls of one task, each decided by the answers so far. */
type Calling = Generator<Call, void, Answer>;

function* once(call: Call): Calling {
  yield call;
}

async function driven(
  perform: (call: Call) => Promise<Answer>,
  calling: Calling,
  step: () => void,
): Promise<Calls> {
  const calls: (Call & Answer)[] = [];
  for (let next = calling.next(); next.done !== true;) {
    step();
    const answer = await perform(next.value);
    calls.push({ ...next.value, ...answer });
    next = calling.next(answer);
  }
  return calls;
}

/** A model that makes these calls: it reads only the content of tool messages. */
function modelWith(calling: Calling): { turn: Turn; calls: Calls } {
  const calls: (Call & Answer)[] = [];
  let next = calling.next();
  const turn: Turn = ({ messages, ...request }, reply) => {
    const last = messages.at(-1);
    if (last?.role === "tool" && next.done !== true) {
      const answer = readMessage(String(last.content));
      calls.push({ ...next.value, ...answer });
      next = calling.next(answer);
    }
    const said =
      next.done === true
        ? { content: "Done." }
        : { calls: [{ id: `call_${calls.length}`, ...functionOf(next.value) }] };
    say({ messages, ...request }, reply, said);
  };
  return { turn, calls };
}

function functionOf({ tool, input }: Call): { name: string; arguments: string } {
  return { name: tool.replace(".", "_"), arguments: JSON.stringify(input) };
}

function readMessage(content: string): Answer {
  const error = at(JSON.parse(content), "error");
  if (error === undefined || at(error, "message") === undefined) return { ok: true, text: content };
  return { ok: false, text: textOf([at(error, "message"), at(error, "hint")]) };
}

function textOf(parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === "string").join("\n");
}
