// What the sandbox prints: addresses, keys, commands to try and an entry for MCP clients.
import { realpathSync } from "node:fs";
import type { Sandbox } from "../../catalogs/sandbox";
import { shellWord } from "../../src/base";
import type { Common } from "../command";
import type { Environment, Io } from "../io";
import { print, printRecord } from "../output";
import { ownCommand } from "../own-command";
import type { SandboxFolder } from "./folder";
import { GATEWAY } from "./records";
import { foreignVariables, USER } from "./settings";

/** What became of the data of earlier starts. */
export type Data = "new" | "kept" | "deleted" | "incomplete";

export interface Ready {
  address: string;
  folder: SandboxFolder;
  keys: { admin: string; run: string };
  sandbox: Sandbox;
  data: Data;
}

const MESSAGE = "Hello from the sandbox";
const STATES: { readonly [D in Data]: string } = {
  new: "",
  kept: "Keys, grants, messages and everything else are those of the last start. To begin again: {command} --reset\n\n",
  deleted: "The data of earlier starts was deleted.\n\n",
  incomplete: "The last start was interrupted before the sandbox was complete, so this one began again.\n\n",
};

/** Prints everything on standard output. */
export function welcome(io: Io, common: Common, ready: Ready): void {
  const { address, folder, keys, sandbox, data } = ready;
  const commands = commandsToTry(io.env, folder);
  const record = {
    address,
    admin_key: keys.admin,
    run_key: keys.run,
    user: USER,
    config_file: folder.configFile,
    data_dir: folder.path,
    data,
    commands: commands.map(({ line }) => line),
    mcp: mcpEntry(address, keys.run),
    gateway: `${address}/mcp/${GATEWAY}`,
    model: sandbox.model.name,
    upstreams: { openapi: `${sandbox.inventory.url}/openapi.json`, mcp: sandbox.notesUrl },
  };
  if (common.output === "table" && common.fields === undefined)
    print(io, "table", record, () => textFor(io.env, record, commands));
  else printRecord(io, common, record, { columns: [], name: () => address });
}

interface Command {
  meaning: string;
  line: string;
}

function commandsToTry(environment: Environment, folder: SandboxFolder): Command[] {
  const place = ["--config", folder.configFile];
  const line = (...words: string[]): string =>
    [...withoutForeign(environment), ...programWords(environment), ...words, ...place]
      .map(shellWord)
      .join(" ");
  const channel = ["--user", USER, "--channel_name", "general"];
  return [
    {
      meaning: `send a message for ${USER}, who has consented already`,
      line: line("tools", "exec", "Chat.SendMessage", ...channel, "--message", MESSAGE),
    },
    { meaning: "read it", line: line("tools", "exec", "Chat.GetMessages", ...channel) },
    {
      meaning: "see a consent: open the address that it prints, and continue as bob",
      line: line("tools", "authorize", "Chat.SendMessage", "--user", "bob"),
    },
  ];
}

/** The name of this program where it is on the path, otherwise the way to it. */
function programWords(environment: Environment): string[] {
  const own = ownCommand();
  const found = own.length === 1 ? Bun.which("runtime", { PATH: environment["PATH"] ?? "" }) : null;
  return found !== null && isSame(found, own[0] ?? "") ? ["runtime"] : own;
}

function isSame(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right);
  } catch {
    return false;
  }
}

/** Settings in variables win over the configuration of the sandbox. */
function withoutForeign(environment: Environment): string[] {
  const names = foreignVariables(environment);
  return names.length === 0 ? [] : ["env", ...names.flatMap((name) => ["-u", name])];
}

/** For `mcp.json` and the like. It contains the key, which is only of this sandbox. */
function mcpEntry(address: string, key: string): object {
  const headers = { Authorization: `Bearer ${key}`, "X-User-ID": USER };
  return {
    mcpServers: { "runtime-sandbox": { type: "http", url: `${address}/mcp/${GATEWAY}`, headers } },
  };
}

interface Shown {
  address: string;
  admin_key: string;
  run_key: string;
  data: Data;
  mcp: object;
  model: string;
  config_file: string;
  upstreams: { openapi: string; mcp: string };
}

function textFor(environment: Environment, shown: Shown, commands: readonly Command[]): string {
  const program = programWords(environment).map(shellWord).join(" ");
  const steps = commands.map(({ meaning, line }, index) => `  ${index + 1}. ${meaning}\n     ${line}\n`);
  const entry = JSON.stringify(shown.mcp, null, 2).replaceAll(/^/gm, "  ");
  const chat = `${program} chat 'send hello to general' --model ${shown.model} --config ${shellWord(shown.config_file)}`;
  return `The sandbox is ready at ${shown.address} (stop it with Ctrl-C).
Open ${shown.address}/ in a browser for the API description and health.

  admin key  ${shown.admin_key}
  run key    ${shown.run_key}

Paste these in another terminal:

${steps.join("\n")}
For MCP clients (mcp.json):

${entry}

The model ${shown.model} calls tools: ${chat}
Its toolkits Inventory and Notes are a worker (API: ${shown.upstreams.openapi}) and an MCP server (${shown.upstreams.mcp}).

${STATES[shown.data].replace("{command}", `${program} sandbox`)}`;
}
