// Collects the parts of a bundle. A part that cannot be made says why in its place: the installation may be broken.
import type { Finding } from "../checkup";
import type { Config } from "../config";
import type { ServerStateResponse } from "../own-state";
import type { Status } from "../status";
import { VERSION } from "../version";
import type { Worker } from "../workers";
import type { BundlePart } from "./archive";
import { databaseFacts } from "./databases";
import { postgresFacts } from "./postgres";
import { linesOfFile } from "./log-lines";
import type { Scrubber } from "./scrub";
import { shownSettings } from "./settings";
import { folderFacts, systemFacts } from "./system";

export interface DiagnosisParts {
  at: Date;
  environment: { readonly [name: string]: string | undefined };
  /** Throws what is wrong with the configuration. */
  config(): Promise<Config>;
  findings(): Promise<Finding[]>;
  /** Of the opened data folder. They throw why it cannot be opened. */
  status(): Promise<Status>;
  workers(): Promise<Worker[]>;
  /** Undefined without a running server. */
  server(): Promise<ServerStateResponse | undefined>;
  /** A file with log lines. */
  logFile: string | undefined;
  scrubber: Scrubber;
}

export async function diagnose(parts: DiagnosisParts): Promise<BundlePart[]> {
  const server = await tried(parts.server);
  const made: readonly (readonly [name: string, make: () => Promise<unknown>])[] = [
    ["version.json", async () => VERSION],
    ["system.json", async () => systemFacts(parts.environment)],
    ["settings.json", async () => shownSettings(await parts.config())],
    ["data-folder.json", async () => folderFacts((await parts.config()).dataFolder())],
    ["databases.json", async () => factsOfDatabase(await parts.config())],
    ["findings.json", parts.findings],
    ["status.json", parts.status],
    ["server.json", async () => of(server)?.state ?? NO_SERVER],
    ["workers.json", async () => (await parts.workers()).map(shownWorker)],
  ];
  const json: BundlePart[] = [];
  // One after the other: findings and status open the same databases.
  for (const [name, make] of made) {
    const value = parts.scrubber.value(await tried(make));
    json.push({ name, text: `${JSON.stringify(value, null, 2)}\n` });
  }
  const log = await tried(async () => logOf(parts.logFile, of(server)));
  const metrics = await tried(async () => of(server)?.metrics ?? NO_METRICS);
  const texts = [
    { name: "log.txt", text: textOf(log) },
    { name: "metrics.txt", text: textOf(metrics) },
  ].map(({ name, text }) => ({ name, text: parts.scrubber.text(text) }));
  const files = [...json, ...texts];
  return [{ name: "README.txt", text: readme(parts.at, files) }, ...files];
}

async function factsOfDatabase(config: Config): Promise<unknown> {
  const database = config.database();
  return database === undefined ? databaseFacts(config.dataFolder()) : postgresFacts(database);
}

const NO_SERVER = "No server is running on this data folder.";
const NO_METRICS = "No server is running on this data folder, or metrics are switched off.\n";

interface Failed {
  error: string;
}

async function tried<T>(make: () => Promise<T>): Promise<T | Failed> {
  try {
    return await make();
  } catch (error) {
    return { error: error instanceof Error ? error.message : "unknown reason" };
  }
}

function of(server: ServerStateResponse | Failed | undefined): ServerStateResponse | undefined {
  return server === undefined || "error" in server ? undefined : server;
}

function textOf(part: string | Failed): string {
  return typeof part === "string" ? part : `${part.error}\n`;
}

function logOf(file: string | undefined, server: ServerStateResponse | undefined): string {
  if (file !== undefined) {
    const { lines, left_out } = linesOfFile(file);
    return [
      `# ${left_out} lines are left out: those at debug, and those of other programs.`,
      ...lines,
      "",
    ].join("\n");
  }
  if (server?.log === undefined) return `${NO_SERVER} To add lines of its log: --log FILE\n`;
  return [...server.log, ""].join("\n");
}

/** No address, no header, no program: they may contain credentials. */
function shownWorker({
  id,
  type,
  enabled,
  managed,
  updates,
  catalog,
  requirements,
  skipped,
}: Worker): object {
  return {
    id,
    type,
    enabled,
    managed,
    updates,
    catalog,
    requirements_met: requirements.met,
    skipped: skipped.length,
  };
}

function readme(at: Date, files: readonly BundlePart[]): string {
  return [
    `Diagnosis of an installation of runtime ${VERSION.version}, made at ${at.toISOString()} by runtime doctor --bundle.`,
    "",
    "It contains no tokens, keys, secrets, users, arguments or results. Addresses are cut after their host, paths have the name",
    "of their setting, and [set] is a value that is not shown. Look through it before you pass it on.",
    "",
    ...files.map(({ name }) => name),
    "",
  ].join("\n");
}
