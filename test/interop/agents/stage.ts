// One turn of a coding agent, all of it in this process and its children: a worker, the server with a gateway, the agent with
// a home of its own. Runs in a network namespace that has only the loopback interface, and prints what happened as JSON.
//
//   bun test/interop/agents/stage.ts AGENT
import { mkdirSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { startChatSite } from "../../support/chat-site";
import { mcpWorker } from "../../workers/site";
import { gatewaySiteOf } from "../mcp/gateway";
import { peerFolder, peers } from "../workers/peers";
import { type Agent, agents, commandOf } from "./agents";
import { type Call, calling, startGeminiModel } from "./model";
import { type Recorded, startRecorder } from "./recorder";

const RUN_MS = 100_000;
const CLI = join(import.meta.dir, "../../../cli/main.ts");
const CALLS: readonly Call[] = [
  { tool: "Everything_echo", input: { message: "hello from the agent" } },
  { tool: "Chat_WhoAmI", input: {} },
];

export interface Played {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The file of the agent with the gateway, as `gateways connect` left it. */
  written: string;
  /** The API keys: of the administrator, and that of the agent. */
  keys: string[];
  recorded: Recorded[];
  /** Network interfaces that the agent could use. */
  interfaces: string[];
}

async function play(agent: Agent): Promise<Played> {
  await using stack = new AsyncDisposableStack();
  const everything = peers.find(({ name }) => name === "everything");
  const worker = stack.use(await everything?.start?.(stack.use(peerFolder()).path));
  const recorder = stack.use(startRecorder());
  const environment = { RUNTIME_PUBLIC_URL: recorder.url };
  const chat = stack.use(await startChatSite({ turn: calling(CALLS), environment }));
  const { site } = chat;
  recorder.to(site.url);
  await site.addChatProvider();
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.workers.create(operator, mcpWorker("everything", worker?.url ?? ""));
  const { gateway, key } = await gatewaySiteOf(site);
  await gateway("team", { tool_filter: { allowed_tools: ["Everything.echo", "Chat.WhoAmI"] } });
  const model = agent.ownProtocol === true ? stack.use(await startGeminiModel(CALLS)).origin : site.url;

  const { path } = stack.use(peerFolder());
  const place = { home: join(path, "home"), folder: join(path, "project"), model, key };
  for (const folder of [place.home, place.folder]) mkdirSync(folder);
  agent.prepare(place);
  const admin = await site.key("admin");
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.home };
  const run = (command: string[], more: Record<string, string>) =>
    finished(command, { cwd: place.folder, env: { ...env, ...more } });
  const connect = ["gateways", "connect", "team", "--client", agent.name, "--user", "alice", "--write"];
  const connected = await run([process.execPath, CLI, ...connect], {
    RUNTIME_SERVER: recorder.url,
    RUNTIME_API_KEY: admin,
  });
  const [, file = ""] = /^Written to (.+)\.$/m.exec(connected.stderr) ?? [];
  if (connected.code !== 0) throw new Error(connected.stderr);
  const turn = agent.command("Use the tools, then tell me what they said.");
  const ran = await run([...commandOf(agent), ...turn], {
    ...agent.environment(place),
    RUNTIME_API_KEY: key,
  });
  return {
    ...ran,
    written: readFileSync(file, "utf8"),
    keys: [admin, key],
    recorded: recorder.recorded,
    interfaces: Object.keys(networkInterfaces()),
  };
}

async function finished(command: string[], place: { cwd: string; env: Record<string, string> }) {
  const child = Bun.spawn(command, {
    ...place,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: RUN_MS,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { code: child.exitCode, stdout, stderr };
}

const agent = agents.find(({ name }) => name === process.argv[2]);
if (agent === undefined) throw new Error(`not an agent: ${String(process.argv[2])}`);
const played = await play(agent);
process.stdout.write(JSON.stringify(played), () => process.exit(0));
