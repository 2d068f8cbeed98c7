// `bun run start`: the sandbox platforms and a real server on its own data folder, ready to try without any account.
// Everything is written to `.sandbox/` and created again at each start.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { loadConfig } from "../support/config";
import { RuntimeError } from "../../src/errors";
import { createRuntime } from "../../src/runtime";
import { announceServer } from "../../src/serving";
import { startPlatforms } from "./platforms";

const CHECKOUT = join(import.meta.dir, "..", "..");
const FOLDER = join(CHECKOUT, ".sandbox");
const CONFIG_FILE = join(FOLDER, "runtime.yaml");
const LAUNCHER = join(FOLDER, "runtime");
const HOST = "127.0.0.1";
const PORT = Number(process.env["RUNTIME_PORT"] ?? 9099);

async function main(): Promise<void> {
  refuseTakenPort();
  const platforms = await startPlatforms();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { mode: 0o700 });
  const { environment, providers, secrets } = platforms;
  const settings = {
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
    log: { level: "warn" },
  };
  writeFileSync(CONFIG_FILE, Bun.YAML.stringify(settings, null, 2), { mode: 0o600 });
  writeLauncher();

  const runtime = await createRuntime(loadConfig({ configFile: CONFIG_FILE, environment: {} }), extensions);
  const server = await startServer(runtime);
  const withdraw = await announceServer(runtime.core, server.address);
  const operator = await runtime.identity.operator("default");
  for (const provider of providers) await runtime.providers.create(operator, provider);
  for (const [key, value] of Object.entries(secrets)) await runtime.secrets.upsert(operator, key, { value });
  const admin = await runtime.identity.createKey(operator, { name: "sandbox admin", role: "admin" });
  const agent = await runtime.identity.createKey(operator, { name: "sandbox agent", role: "run" });
  process.stdout.write(welcome(server.address, admin.key ?? "", agent.key ?? ""));

  const stop = async (): Promise<void> => {
    await withdraw();
    await server.stop();
    await runtime.close();
    await platforms[Symbol.asyncDispose]();
    process.exit(0);
  };
  process.once("SIGINT", () => void stop());
  process.once("SIGTERM", () => void stop());
}

// Before any change, because the folder may belong to a running sandbox.
function refuseTakenPort(): void {
  try {
    Bun.listen({ hostname: HOST, port: PORT, socket: { data: () => undefined } }).stop(true);
  } catch {
    const other = PORT === 9099 ? 9100 : 9099;
    process.stderr.write(
      `Port ${PORT} is taken: is another sandbox running? Stop it, or choose a port: ` +
        `RUNTIME_PORT=${other} and the same command again.\n`,
    );
    process.exit(1);
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
  await main();
} catch (error) {
  if (!(error instanceof RuntimeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
