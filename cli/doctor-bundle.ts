// `runtime doctor --bundle FILE`: collects what is needed to find a problem of this installation, without secrets.
import { existsSync, lstatSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, resolve } from "node:path";
import { MAX_LIMIT } from "../src/base";
import type { Finding } from "../src/checkup";
import type { Config } from "../src/config";
import { type BundlePart, diagnose, Scrubber, settingPaths, writeBundle } from "../src/diagnosis";
import { alreadyExists, configurationError, notFound } from "../src/errors";
import type { Principal } from "../src/identity";
import { isInstalled } from "../src/installed";
import type { Runtime } from "../src/runtime";
import { statusOf } from "../src/status";
import type { Worker } from "../src/workers";
import type { Common } from "./command";
import { counted } from "./counted";
import { EXIT } from "./errors";
import type { Io } from "./io";
import { printRecord } from "./output";
import { withProgress } from "./progress";
import { detailsOfServer } from "./server-state";
import { loadCommonConfig } from "./session";

export interface BundleOptions {
  bundle: string;
  /** A file with log lines. */
  log: string | undefined;
  force: boolean;
}

/** `findings` runs the checks of the installation. Returns the exit code. */
export async function bundle(
  io: Io,
  common: Common,
  { bundle: given, log, force }: BundleOptions,
  findings: () => Promise<Finding[]>,
): Promise<number> {
  const file = resolve(given);
  if (!force && lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw existing(file);
  if (!existsSync(dirname(file))) throw configurationError(`The folder of ${file} does not exist.`);
  if (log !== undefined && !existsSync(log)) throw notFound(`${log} does not exist.`);
  const parts = await withProgress(io, "Collecting", collect(io, common, log, findings));
  const bytes = await writeBundle(file, parts, { at: new Date(), replaced: force }).catch(
    (error: unknown) => {
      throw error instanceof Error && "code" in error && error.code === "EEXIST" ? existing(file) : error;
    },
  );
  const record = { file, bytes, parts: parts.map(({ name }) => name) };
  printRecord(io, common, record, {
    name: () => file,
    columns: [],
    lines: () => [
      ["file", file],
      ["bytes", String(bytes)],
      ["parts", record.parts.join(", ")],
    ],
  });
  io.note(
    `${counted(parts.length, "part")}, readable for you only. Look through them before you pass the file on.`,
  );
  return EXIT.ok;
}

function existing(file: string): Error {
  return alreadyExists(`${file} exists. Give another name, or replace it with --force.`);
}

async function collect(
  io: Io,
  common: Common,
  logFile: string | undefined,
  findings: () => Promise<Finding[]>,
): Promise<BundlePart[]> {
  const loading = loadCommonConfig(io, common, { strict: true });
  const config = await loading.catch(() => undefined);
  let opening: Promise<Runtime> | undefined;
  const opened = async (): Promise<Runtime> => (opening ??= open(await loading));
  try {
    return await diagnose({
      at: new Date(),
      environment: io.env,
      config: () => loading,
      findings,
      status: async () => {
        const runtime = await opened();
        return statusOf(runtime, await operatorOf(runtime, await loading));
      },
      workers: async () => {
        const runtime = await opened();
        return workersOf(runtime, await operatorOf(runtime, await loading));
      },
      server: async () => detailsOfServer(await opened()),
      logFile,
      scrubber: scrubberOf(io, config),
    });
  } finally {
    await (await opening?.catch(() => undefined))?.close();
  }
}

async function open(config: Config): Promise<Runtime> {
  // Opening would create it.
  if (!(await isInstalled(config))) throw configurationError("There is no installation yet.");
  const [{ createRuntime }, { extensions }, { silentLog }] = await Promise.all([
    import("../src/runtime"),
    import("../catalogs"),
    import("../src/base"),
  ]);
  return createRuntime(config, extensions, { log: silentLog });
}

function operatorOf({ identity }: Runtime, { settings }: Config): Promise<Principal> {
  return identity.operator(settings.project);
}

async function workersOf({ workers }: Runtime, principal: Principal): Promise<Worker[]> {
  const all: Worker[] = [];
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const { items } = await workers.list(principal, { limit: MAX_LIMIT, offset });
    all.push(...items);
    if (items.length < MAX_LIMIT) return all;
  }
}

/** Names of variables whose values are hidden wherever they appear. */
const SECRET_NAME = /key|token|secret|pass|credential|cookie|auth/i;

function scrubberOf(io: Io, config: Config | undefined): Scrubber {
  const secrets = Object.entries(io.env).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && !isPlace(value) ? [value] : passwordsIn(value),
  );
  return new Scrubber({
    secrets,
    paths: new Map([...ownPaths(io), ...(config === undefined ? [] : pathsOf(config))]),
  });
}

/** The password in a database URL, as it is written and as it is meant. */
function passwordsIn(value: string): string[] {
  const [, password] = /^postgres(?:ql)?:\/\/[^:@/?]*:(.*)@/s.exec(value) ?? [];
  if (password === undefined || password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function isPlace(value: string): boolean {
  return isAbsolute(value) || /^(~|https?:\/\/)/.test(value);
}

function ownPaths({ env }: Io): [path: string, name: string][] {
  return [
    [process.cwd(), "working folder"],
    [homedir(), "home"],
    [env["HOME"] ?? "", "home"],
  ];
}

function pathsOf(config: Config): [path: string, name: string][] {
  const { file } = config;
  const named: [path: string | undefined, name: string][] = [
    [file === undefined ? undefined : dirname(file), "configuration folder"],
    [file, "configuration file"],
    ...settingPaths(config),
    [config.auditHeadsFile(), "audit.heads_file"],
    [config.backupFolder(), "backup.folder"],
    [config.rootKeyFile(), "root_key_file"],
    [safely(() => config.dataFolder()), "data_dir"],
  ];
  return named.flatMap(([path, name]) => (path === undefined ? [] : [[path, name] as [string, string]]));
}

function safely(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
