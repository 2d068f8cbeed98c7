// Two users and one worker that wants tokens: consents, calls, expiries and deletions at the same time, over every entry point
// and from several processes on one data folder. Whatever happens, the worker sees a user's own token only.
import { join } from "node:path";
import { main } from "../../../cli/program";
import { fakeIo } from "../../cli/support/fake-io";
import { client } from "../../mcp/site";
import { type ModelServer, say, startModelServer } from "../../sandbox/models/chat-server";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { randomOf } from "../../support/long";
import { type Site, startSite } from "../../support/site";
import { type EchoWorker, echoWorker } from "./echo-worker";
import { StrictServer } from "./strict-server";

const USERS = ["alice", "bob"] as const;
/** Never consents. */
const STRANGER = "mallory";
const CLI = join(import.meta.dir, "../../../cli/main.ts");

export interface CrossingOptions {
  interleavings: number;
  seed: number;
  /** In every so manieth interleaving, a call comes from a process of its own. */
  processesEvery: number;
}

export interface CrossingFigures {
  interleavings: number;
  /** Calls that the worker saw, and those with the token of another user. */
  calls: number;
  foreign: number;
  /** Calls that were answered, by entry point. */
  served: Record<string, number>;
  consents: number;
  refreshes: number;
  sessions: number;
  faults: string[];
}

type Draw = (limit: number) => number;
type Step = () => Promise<void>;

class World implements AsyncDisposable {
  readonly strict = new StrictServer();
  readonly echo: EchoWorker = echoWorker(this.strict, { sessions: true });
  readonly served: Record<string, number> = {};
  readonly faults: string[] = [];
  readonly scheduled: { id: string; user: string }[] = [];
  readonly #sites: Site[] = [];
  readonly #agents: ReturnType<typeof api>[] = [];
  #key = "";
  #model: ModelServer | undefined;
  consents = 0;

  get first(): Site {
    const [site] = this.#sites;
    if (site === undefined) throw new Error("not started");
    return site;
  }

  async start(): Promise<void> {
    this.#model = await startModelServer((request, reply) => {
      const last = request.messages.at(-1);
      if (last?.role === "tool") return say(request, reply, { content: String(last.content) });
      const call = { name: "Echo_whoami", arguments: JSON.stringify({ user: last?.content }) };
      say(request, reply, { calls: [call] });
    });
    const models = [{ id: "m", models: ["m"], openai: { base_url: this.#model.url } }];
    const environment = { RUNTIME_MODELS: JSON.stringify(models) };
    const site = await startSite({ environment });
    this.#sites.push(site);
    this.#sites.push(await startSite({ environment, folder: site.folder, chat: site.chat }));
    this.#key = await site.key("run");
    for (const { url } of this.#sites) this.#agents.push(api(url, this.#key));
    const admin = api(site.url, await site.key("admin"));
    const mcp = { uri: this.strict.at.uri, timeout: 10, retry: 0, oauth2: { register: true } };
    await admin.post("/v1/workers", { id: "echo", mcp });
    const { body } = await admin.get("/v1/workers/echo/authorize");
    for await (const _ of this.consentAt(at(body, "url"), "admin"));
    await admin.get("/v1/workers/echo/authorize");
    await admin.put("/v1/admin/settings/runnable_tools", { mode: "all" });
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.gateways.create(operator, { name: "G", slug: "g", auth_type: "arcade_header" });
  }

  agent(draw: Draw): ReturnType<typeof api> {
    const agent = this.#agents[draw(this.#agents.length)];
    if (agent === undefined) throw new Error("not started");
    return agent;
  }

  /** Each step of a consent on its own, so that others come between. */
  async *consentAt(url: unknown, subject: string): AsyncGenerator<undefined, void> {
    const browser = new Browser();
    const location = (await browser.open(String(url))).headers.get("location");
    if (location === null || !location.startsWith(this.strict.at.issuer)) return;
    yield;
    const { searchParams } = new URL(location);
    const callback = new URL(searchParams.get("redirect_uri") ?? "");
    const answer = this.strict.approve(new URL(location), subject);
    callback.search = new URLSearchParams({ ...answer, state: searchParams.get("state") ?? "" }).toString();
    yield;
    const page = await browser.open(callback.href);
    yield;
    if ((await page.clone().text()).includes('name="check"'))
      await browser.answer(page, new URL(String(url)).origin, "yes");
    this.consents++;
  }

  /** At the first server: its address is the redirect address that is registered. */
  async *consent(user: string): AsyncGenerator<undefined, void> {
    const { body } = await this.agent(() => 0).post("/v1/tools/authorize", {
      tool_name: "Echo.whoami",
      user_id: user,
    });
    if (at(body, "status") === "pending") yield* this.consentAt(at(body, "url"), user);
  }

  async call(entry: string, user: string, draw: Draw): Promise<void> {
    const answer = await this.#answer(entry, user, draw);
    if (answer === undefined) return;
    if (answer !== `subject: ${user}`) this.faults.push(`${entry}: ${user} was answered with ${answer}`);
    if (user === STRANGER) this.faults.push(`${entry}: ${user} was served`);
    this.served[entry] = (this.served[entry] ?? 0) + 1;
  }

  /** What the user is told; undefined if the call did not run. */
  async #answer(entry: string, user: string, draw: Draw): Promise<string | undefined> {
    const input = { user };
    if (entry === "rest" || entry === "schedule") {
      const run_at = entry === "rest" ? {} : { run_at: "2020-01-01T00:00:00" };
      const request = { tool_name: "Echo.whoami", user_id: user, input, ...run_at };
      const { body } = await this.agent(draw).post("/v1/tools/execute", request);
      if (entry === "rest") return text(at(body, "output.value"));
      if (at(body, "execution_type") === "scheduled")
        this.scheduled.push({ id: String(at(body, "id")), user });
      return undefined;
    }
    if (entry === "mcp") {
      const site = this.#sites[draw(this.#sites.length)] ?? this.first;
      const caller = client(`${site.url}/mcp/g`, { key: this.#key, user });
      const { messages } = await caller.modern("tools/call", { name: "Echo_whoami", arguments: input });
      const result = at(messages.at(-1), "result");
      return at(result, "isError") === true ? undefined : text(at(result, "content.0.text"));
    }
    if (entry === "chat") {
      const { body } = await this.agent(draw).post("/v1/chat/completions", {
        model: "m",
        messages: [{ role: "user", content: user }],
        user,
        tools: ["Echo.whoami"],
        tool_choice: "generate",
      });
      const said = text(at(body, "choices.0.message.content"));
      return said?.startsWith("subject: ") === true ? said : undefined;
    }
    const args = [
      "tools",
      "exec",
      "Echo.whoami",
      "--user",
      user,
      "--input",
      JSON.stringify(input),
      "-o",
      "json",
    ];
    return entry === "process" ? this.#process(args) : this.#terminal(args);
  }

  async #terminal(args: string[]): Promise<string | undefined> {
    const io = fakeIo({ env: this.first.environment });
    const code = await main(args, io);
    return code === 0 ? text(at(JSON.parse(io.stdout), "output.value")) : undefined;
  }

  async #process(args: string[]): Promise<string | undefined> {
    const { environment, folder } = this.first;
    const child = Bun.spawn([process.execPath, CLI, ...args], {
      env: environment,
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: 30_000,
    });
    const out = await child.stdout.text();
    return (await child.exited) === 0 ? text(at(JSON.parse(out), "output.value")) : undefined;
  }

  async remove(user: string): Promise<void> {
    const { runtime } = this.first;
    const operator = await runtime.identity.operator("default");
    const { items } = await runtime.connections.list(operator, { user_id: user });
    for (const { id } of items) await runtime.connections.delete(operator, id).catch(() => undefined);
  }

  /** Looks at the scheduled runs when all have ended. */
  async checkScheduled(): Promise<void> {
    const { runtime } = this.first;
    const operator = await runtime.identity.operator("default");
    for (const { id, user } of this.scheduled) {
      for (;;) {
        const run = await runtime.tools.scheduled.get(operator, id);
        const { execution_status: status, attempts } = run;
        if (status !== "pending" && status !== "running") {
          const value = text(at(attempts.at(-1), "output.value"));
          if (value !== undefined && value !== `subject: ${user}`)
            this.faults.push(`schedule: ${user} was answered with ${value}`);
          if (value !== undefined) this.served["schedule"] = (this.served["schedule"] ?? 0) + 1;
          break;
        }
        await Bun.sleep(200);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const site of this.#sites.toReversed()) await site[Symbol.asyncDispose]();
    await this.#model?.[Symbol.asyncDispose]();
    this.strict[Symbol.dispose]();
  }
}

/** Runs interleavings at random, each from its own seed. */
export async function cross({
  interleavings,
  seed,
  processesEvery,
}: CrossingOptions): Promise<CrossingFigures> {
  await using world = new World();
  await world.start();
  for (let index = 0; index < interleavings; index++) {
    const random = randomOf(seed + index);
    const draw: Draw = (limit) => Math.floor(random() * limit);
    const steps = Array.from({ length: 3 + draw(4) }, () => stepsOf(world, draw));
    if (index % processesEvery === 0) steps.push([() => world.call("process", oneOf(USERS, draw), draw)]);
    await interleaved(steps, draw);
    if (world.faults.length + world.echo.faults.length > 20) break;
  }
  await world.checkScheduled();
  const { calls, sessions, faults } = world.echo;
  const foreign = calls.filter(({ user, subject }) => user !== subject);
  return {
    interleavings,
    calls: calls.length,
    foreign: foreign.length,
    served: world.served,
    consents: world.consents,
    refreshes: world.strict.tokenRequests.filter(({ grant_type }) => grant_type === "refresh_token").length,
    sessions: sessions.size,
    faults: [...world.faults, ...faults, ...foreign.map((call) => JSON.stringify(call))].slice(0, 20),
  };
}

/** What one actor does, step by step. */
function stepsOf(world: World, draw: Draw): Step[] {
  const user = oneOf(USERS, draw);
  const what = draw(20);
  if (what < 5) {
    const consent = world.consent(user);
    const next = async (): Promise<void> => void (await consent.next());
    return Array.from({ length: 5 }, () => next);
  }
  if (what < 10) return [() => world.call("rest", user, draw)];
  if (what < 13) return [() => world.call("mcp", user, draw)];
  if (what === 13) return [() => world.call("chat", user, draw)];
  if (what === 14) return [() => world.call("terminal", user, draw)];
  if (what === 15) return [() => world.call("schedule", user, draw)];
  if (what === 16) return [() => world.call(oneOf(["rest", "mcp"], draw), STRANGER, draw)];
  if (what === 17) return [() => world.remove(user)];
  return [async () => world.strict.expire(user)];
}

/** Up to three actors take their next step at the same time. */
async function interleaved(actors: Step[][], draw: Draw): Promise<void> {
  for (let rest = actors; rest.length > 0; rest = rest.filter((steps) => steps.length > 0)) {
    const chosen = rest.toSorted(() => draw(3) - 1).slice(0, 1 + draw(3));
    await Promise.all(chosen.map((steps) => steps.shift()?.()));
  }
}

function oneOf<T>(values: readonly T[], draw: Draw): T {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The sentence that is printed. */
export function sentenceOf({
  interleavings,
  calls,
  foreign,
  served,
  consents,
  refreshes,
  sessions,
}: CrossingFigures): string {
  const entries = Object.entries(served).map(([entry, count]) => `${entry} ${count}`);
  return (
    `${interleavings} interleavings, ${calls} calls at the worker, ${foreign} foreign tokens ` +
    `(${entries.join(", ")}; ${consents} consents, ${refreshes} refreshes, ${sessions} sessions)\n`
  );
}
