// `bun run start`: the sandbox platforms and a real server on its own data folder, ready to try without any account.
// Everything is written to `.sandbox/`, and kept between starts until `bun run start --reset`.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { loadConfig } from "../support/config";
import { RuntimeError } from "../../src/errors";
import { createRuntime, type Runtime } from "../../src/runtime";
import { announceServer } from "../../src/serving";
import { type Platforms, type SavedPlatforms, startPlatforms } from "./platforms";

const CHECKOUT = join(import.meta.dir, "..", "..");
const FOLDER = process.env["SANDBOX_FOLDER"] ?? join(CHECKOUT, ".sandbox");
const STATE_FILE = join(FOLDER, "state.json");
const CONFIG_FILE = join(FOLDER, "runtime.yaml");
const LAUNCHER = join(FOLDER, "runtime");
const HOST = "127.0.0.1";
const PORT = Number(process.env["RUNTIME_PORT"] ?? 9099);

/** What the next start needs. The keys are only of this sandbox. */
interface State {
  platforms: SavedPlatforms;
  keys: { admin: string; agent: string };
}

async function main(args: readonly string[]): Promise<void> {
  const isReset = args.includes("--reset");
  const unknown = args.find((word) => word !== "--reset");
  if (unknown !== undefined)
    fail(`Unknown option ${unknown}. The only one is --reset: it starts without the data of earlier starts.`);
  refuseTakenPort();
  if (isReset && existsSync(FOLDER)) {
    rmSync(FOLDER, { recursive: true, force: true });
    process.stdout.write(
      "Reset: the keys, grants, gateways and all other data of the sandbox were deleted.\n",
    );
  }
  const state = readState();
  // A first start that did not finish, or a sandbox of an earlier version, which kept nothing.
  if (state === undefined && existsSync(FOLDER)) {
    rmSync(FOLDER, { recursive: true, force: true });
    process.stdout.write("The last start left no complete sandbox, so this one begins without data.\n");
  }
  const platforms = await startPlatforms(state?.platforms).catch((error: unknown) =>
    fail(
      `The platforms of the sandbox cannot start at the addresses of the last start (${reasonOf(error)}). ` +
        "Stop the program that uses one of their ports, or start without the old data: bun run start --reset",
    ),
  );
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  writeFileSync(CONFIG_FILE, Bun.YAML.stringify(settingsFor(platforms), null, 2), { mode: 0o600 });
  writeLauncher();

  const runtime = await createRuntime(loadConfig({ configFile: CONFIG_FILE, environment: {} }), extensions);
  const server = await startServer(runtime);
  const withdraw = await announceServer(runtime.core, server.address);
  const keys = state?.keys ?? (await setUp(runtime, platforms));
  const save = (): void => {
    const text = JSON.stringify({ platforms: platforms.saved(), keys } satisfies State);
    writeFileSync(STATE_FILE, text, { mode: 0o600 });
  };
  save();
  const kept = state === undefined ? "" : KEPT;
  process.stdout.write(welcome(server.address, keys.admin, keys.agent) + kept);

  const stop = async (): Promise<void> => {
    save();
    await withdraw();
    await server.stop();
    await runtime.close();
    await platforms[Symbol.asyncDispose]();
    process.exit(0);
  };
  process.once("SIGINT", () => void stop());
  process.once("SIGTERM", () => void stop());
}

const KEPT =
  "Keys, grants, gateways and everything else are those of the last start. To begin again: bun run start --reset\n\n";

function readState(): State | undefined {
  if (!existsSync(STATE_FILE)) return undefined;
  // Written by this program.
  return JSON.parse(readFileSync(STATE_FILE, "utf8")) as State;
}

async function setUp(runtime: Runtime, { providers, secrets }: Platforms): Promise<State["keys"]> {
  const operator = await runtime.identity.operator("default");
  for (const provider of providers) await runtime.providers.create(operator, provider);
  for (const [key, value] of Object.entries(secrets)) await runtime.secrets.upsert(operator, key, { value });
  const admin = await runtime.identity.createKey(operator, { name: "sandbox admin", role: "admin" });
  const agent = await runtime.identity.createKey(operator, { name: "sandbox agent", role: "run" });
  return { admin: admin.key ?? "", agent: agent.key ?? "" };
}

function settingsFor({ environment }: Platforms): object {
  return {
    host: HOST,
    port: PORT,
    data_dir: join(FOLDER, "data"),
    user: "alice",
    chat: { api_url: environment["RUNTIME_CHAT_API_URL"] },
    sheets: {
      api_url: environment["RUNTIME_SHEETS_API_URL"],
      picker_script_url: environment["RUNTIME_SHEETS_PICKER_SCRIPT_URL"],
      identity_script_url: environment["RUNTIME_SHEETS_IDENTITY_SCRIPT_URL"],
    },
    drive: { api_url: environment["RUNTIME_DRIVE_API_URL"] },
    userinfo: { url: environment["RUNTIME_USERINFO_URL"] },
    records: {
      accounts_hosts: [environment["RUNTIME_RECORDS_ACCOUNTS_HOSTS"]],
      server_urls: environment["RUNTIME_RECORDS_SERVER_URLS"]?.split(","),
    },
    egress: { allow: ["loopback"] },
    log: { level: "warn", format: "text" },
  };
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown reason";
}

// Before any change, because the folder may belong to a running sandbox.
function refuseTakenPort(): void {
  try {
    Bun.listen({ hostname: HOST, port: PORT, socket: { data: () => undefined } }).stop(true);
  } catch {
    const other = PORT === 9099 ? 9100 : 9099;
    fail(
      `Port ${PORT} is taken: is another sandbox running? Stop it, or choose a port: ` +
        `RUNTIME_PORT=${other} and the same command again.`,
    );
  }
}

// Without `bun` on the path, the command line is run with the program that runs this.
function writeLauncher(): void {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [
    "#!/bin/sh",
    "# The command line of the sandbox.",
    `export RUNTIME_CONFIG=${quote(CONFIG_FILE)}`,
    `exec ${quote(process.execPath)} ${quote(join(CHECKOUT, "cli", "main.ts"))} "$@"`,
  ];
  writeFileSync(LAUNCHER, `${lines.join("\n")}\n`);
  chmodSync(LAUNCHER, 0o700);
}

function welcome(address: string, admin: string, agent: string): string {
  return `
runtime is ready at ${address}
Open ${address}/ in a browser for the API description and health.

  admin key  ${admin}
  run key    ${agent}

Paste these in another terminal, in this folder (stop here with Ctrl-C):

  1. list the tools
     ./.sandbox/runtime tools list

  2. see consent happen: open the address that it prints, continue as alice, confirm
     ./.sandbox/runtime tools authorize Chat.SendMessage --user alice

  3. run a tool for alice
     ./.sandbox/runtime tools exec Chat.SendMessage --user alice --channel_name general --message "Hello from the sandbox"

`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof RuntimeError)) throw error;
  fail(error.message);
}
