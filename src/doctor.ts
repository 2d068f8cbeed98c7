// Looks an installation over: configuration, files, key, database, clock, port, addresses, providers. A database is opened
// as by every command (which makes its folder private again), and only when nothing before it was wrong.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isLoopback } from "./base";
import {
  checkAddresses,
  checkEndpoint,
  checkFiles,
  checkPort,
  type Finding,
  ok,
  problem,
  refused,
  warning,
} from "./checkup";
import type { Config } from "./config";
import type { Core } from "./core";
import { ambiguousSources, type Principal } from "./identity";
import type { AuthProvider } from "./providers";
import type { Runtime } from "./runtime";

/** Stored values that are tried, of each kind. */
const MOST_OPENED = 10_000;
const MOST_NAMED = 5;

export interface DoctorParts {
  /** Throws what is wrong with the configuration. */
  config(): Promise<Config>;
  open(config: Config): Promise<Runtime>;
  /** Address of the server that runs on the data folder. */
  running(runtime: Runtime): Promise<string | undefined>;
}

/** All findings, the fine ones too, in the order in which things depend on each other. */
export async function examine({ config: load, open, running }: DoctorParts): Promise<Finding[]> {
  let config: Config;
  let files: Finding[];
  try {
    config = await load();
    files = checkFiles(config);
  } catch (error) {
    return [refused("configuration", error)];
  }
  const read = ok("configuration", config.file === undefined ? "No file." : `Read, with ${config.file}.`);
  const found = [read, ...files];
  if (found.some(({ status }) => status === "problem")) return found;
  if (!existsSync(join(config.dataFolder(), "runtime.db")))
    return [...found, await checkPort(config.settings, undefined)];
  let runtime: Runtime;
  try {
    runtime = await open(config);
  } catch (error) {
    return [...found, refused("start", error)];
  }
  try {
    return [...found, ...(await examineOpen(runtime, config, running))];
  } finally {
    await runtime.close();
  }
}

async function examineOpen(
  runtime: Runtime,
  config: Config,
  running: DoctorParts["running"],
): Promise<Finding[]> {
  let principal: Principal;
  try {
    principal = await runtime.identity.operator(config.settings.project);
  } catch (error) {
    return [refused("project", error)];
  }
  const port = await checkPort(config.settings, await running(runtime));
  const { verifier_url } = await runtime.settings.get(principal);
  const { items } = await runtime.providers.list(principal);
  const keys = await runtime.identity.listKeys(principal);
  const endpoints = await Promise.all(
    placesOf(items).map(([name, address]) => checkEndpoint(runtime.core, name, address)),
  );
  return [
    await clockFinding(runtime, principal),
    port,
    ...usersFindings(runtime.core),
    ...checkAddresses(runtime.core, verifier_url !== null, isLoopback),
    keys.items.length === 0
      ? problem("API keys", "There is no API key: no agent can call.", "Make one: runtime keys create NAME")
      : ok("API keys", `${keys.items.length} in the project ${principal.projectId}.`),
    await sealedFinding(runtime, principal),
    ...endpoints.flat(),
  ];
}

/** Whether tokens and secrets of the project open: after a disk has failed, or a backup was put together wrongly. */
async function sealedFinding({ rotation }: Runtime, { projectId }: Principal): Promise<Finding> {
  const { tried, places } = await rotation.unopenable(projectId, MOST_OPENED);
  if (places.length === 0) return ok("stored values", `${tried} were opened, and none is damaged.`);
  const named = places.slice(0, MOST_NAMED).map(({ table, row, field }) => `${field} of ${row} in ${table}`);
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : "";
  return problem(
    "stored values",
    `${places.length} of ${tried} cannot be opened: ${named.join(", ")}${more}.`,
    "Set them anew, or restore the data folder from a backup. A user whose tokens are among them consents again.",
  );
}

/** Nothing where there are no further sources of users. */
function usersFindings({ settings }: Core): Finding[] {
  if (settings.user_sources.length === 0) return [];
  const sources = ambiguousSources(settings);
  if (sources.length === 0) return [ok("user sources", "Users of each can be told from those of others.")];
  return [
    warning(
      "user sources",
      `A user of ${sources.join(", ")} may have the id of another provider's user, and get that one's grants.`,
      'Give each a user_prefix; an empty one ("") says that they are the same people.',
    ),
  ];
}

/** A time that was stored lies behind us, unless the clock went back since. */
async function clockFinding(runtime: Runtime, principal: Principal): Promise<Finding> {
  const newest = await runtime.trail.newestChange(principal);
  const ahead = (newest ?? 0) - runtime.core.clock.now();
  if (ahead < 60_000) return ok("clock", "No stored time lies in the future.");
  const minutes = Math.round(ahead / 60_000);
  const message = `The last change is stored ${minutes} minutes in the future: the clock is, or was, wrong.`;
  return problem("clock", message, "Set the clock by a time server (timedatectl set-ntp true).");
}

/** The servers of active providers, each once. */
function placesOf(providers: readonly AuthProvider[]): [string, string][] {
  const places = new Map<string, string>();
  for (const { id, status, oauth2 } of providers) {
    if (status !== "active") continue;
    for (const request of [oauth2.authorize_request, oauth2.token_request]) {
      const origin = URL.parse(request?.endpoint ?? "")?.origin;
      if (origin !== undefined && !places.has(`${id} ${origin}`)) places.set(`${id} ${origin}`, origin);
    }
  }
  return [...places].map(([name, origin]) => [name.split(" ")[0] ?? "", origin]);
}
