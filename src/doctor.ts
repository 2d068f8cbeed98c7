// Checks an installation: configuration, files, key, database, clock, port, addresses, providers. The database is opened
// as by any command (which makes its folder private), and only if no earlier check has found a problem.
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  backupFindings,
  checkAddresses,
  checkFiles,
  checkMetricsPort,
  checkPort,
  checkPostgresServer,
  collectorFindings,
  type Finding,
  headsFileFinding,
  leftoverKeysFinding,
  ok,
  type PostgresFindings,
  problem,
  refused,
  restsFinding,
  rootKeyIdFinding,
  warning,
  workFolderFindings,
} from "./checkup";
import { MAX_LIMIT } from "./base";
import type { Config } from "./config";
import type { Core } from "./core";
import { checkDependencies } from "./dependencies";
import { ambiguousSources, type ApiKey, type Principal } from "./identity";
import { collectorOf } from "./open-core";
import type { Runtime } from "./runtime";
import { checksOf, type ProjectChecks, projectsWithOwnWays, signInOfDeployment } from "./user-checks";

/** The most stored values to open, per kind. */
const MAX_OPENED = 10_000;
const MAX_NAMED = 5;

export interface DoctorParts {
  /** Throws if the configuration is not valid. */
  config(): Promise<Config>;
  /** Reasons for which a server with the configuration does not start. */
  starts(config: Config): Promise<Finding[]>;
  open(config: Config): Promise<Runtime>;
  /** The address of the running server of the data folder. */
  running(runtime: Runtime): Promise<string | undefined>;
  /** Whether findings may name stored rows: those of connections have the names of users. */
  namesRows: boolean;
}

/** All findings, including the good ones, in the order of their dependencies. */
export async function examine({
  config: load,
  starts,
  open,
  running,
  namesRows,
}: DoctorParts): Promise<Finding[]> {
  let config: Config;
  let files: Finding[];
  try {
    config = await load();
    // Settings that exclude each other.
    config.database();
    config.tlsFiles();
    files = checkFiles(config);
  } catch (error) {
    return [refused("configuration", error)];
  }
  const read = ok("configuration", config.file === undefined ? "No file." : `Read, with ${config.file}.`);
  const found = [read, ...files];
  if (found.some(({ status }) => status === "problem")) return found;
  found.push(...(await starts(config)), ...headsFileFinding(config));
  const { findings, isInstalled } = await databaseState(config);
  found.push(...findings);
  if (!isInstalled || findings.some(({ status }) => status === "problem"))
    return [
      ...found,
      await checkPort(config.settings, undefined),
      ...(await checkMetricsPort(config.settings, undefined)),
    ];
  let runtime: Runtime;
  try {
    runtime = await open(config);
  } catch (error) {
    return [...found, refused("start", error)];
  }
  try {
    return [...found, ...(await examineOpen(runtime, config, { running, namesRows }))];
  } finally {
    await runtime.close();
  }
}

/** Whether there is a database that can be opened without making or changing tables. */
async function databaseState(config: Config): Promise<PostgresFindings> {
  const database = config.database();
  if (database !== undefined) return checkPostgresServer(database);
  return { findings: [], isInstalled: existsSync(join(config.dataFolder(), "runtime.db")) };
}

async function examineOpen(
  runtime: Runtime,
  config: Config,
  { running, namesRows }: Pick<DoctorParts, "running" | "namesRows">,
): Promise<Finding[]> {
  let principal: Principal;
  try {
    principal = await runtime.identity.operator(config.settings.project);
  } catch (error) {
    return [refused("project", error)];
  }
  const served = await running(runtime);
  const ports = [
    await checkPort(config.settings, served),
    ...(await checkMetricsPort(config.settings, served)),
  ];
  const { core } = runtime;
  const { verifier_url } = await runtime.settings.get(principal);
  const { items } = await runtime.providers.list(principal);
  const keys = await runtime.identity.listKeys(principal);
  const dependencies = await checkDependencies(runtime, principal, items);
  return [
    await clockFinding(runtime, principal),
    ...ports,
    rootKeyIdFinding(config, core.keyring.rootKeyId),
    ...leftoverKeysFinding(config, core.keyring.rootKeyId, core.clock.now()),
    ...restsFinding(config),
    ...backupFindings(config, core.clock.now()),
    ...workFolderFindings(config),
    ...usersFindings(core),
    ...checkAddresses(core),
    ...(await userFindings(runtime, principal.projectId)),
    ...keyFindings(keys.items, principal.projectId, verifier_url !== null),
    ...(await pinnedAdminFindings(runtime)),
    ...(await gatewayFindings(runtime, principal)),
    await sealedFinding(runtime, principal, namesRows),
    ...dependencies,
    ...(await collectorFindings(core, ...collectorOf(config, core.log))),
  ];
}

/** Whether tokens and secrets can be opened, which fails after a disk error or an inconsistent backup. */
async function sealedFinding(
  { rotation }: Runtime,
  { projectId }: Principal,
  namesRows: boolean,
): Promise<Finding> {
  const { tried, places } = await rotation.unopenable(projectId, MAX_OPENED);
  if (places.length === 0) return ok("stored values", `${tried} were opened, none is damaged.`);
  const named = places
    .slice(0, MAX_NAMED)
    .map(({ table, row, field }) => `${field}${namesRows ? ` of ${row}` : ""} in ${table}`);
  const more = places.length > MAX_NAMED ? ` and ${places.length - MAX_NAMED} more` : "";
  return problem(
    "stored values",
    `${places.length} of ${tried} cannot be opened: ${named.join(", ")}${more}.`,
    "Set them again, or restore the data folder from a backup. Users whose tokens are among them must consent again.",
  );
}

function keyFindings(keys: readonly ApiKey[], projectId: string, hasVerifier: boolean): Finding[] {
  if (keys.length === 0) {
    const message = "There is no API key, so no agent can connect.";
    return [problem("API keys", message, "Create one: runtime keys create NAME")];
  }
  const found = [ok("API keys", `${keys.length} in the project ${projectId}.`)];
  if (!hasVerifier || keys.some(({ role }) => role === "verify")) return found;
  const without = warning(
    "key of the verifier",
    "A verifier is set, but no key has the role verify. A key with the role run cannot confirm users.",
    "Create one and give it to the verifier: runtime keys create verifier --role verify",
  );
  return [...found, without];
}

/** Admin keys that an earlier version restricted to users. Of all projects. */
async function pinnedAdminFindings({ identity }: Runtime): Promise<Finding[]> {
  const keys = await identity.pinnedAdminKeys();
  if (keys.length === 0) return [];
  const named = keys.slice(0, MAX_NAMED).map(({ id, project_id }) => `${id} (project ${project_id})`);
  const more = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : "";
  return [
    warning(
      "admin keys with users",
      `These admin keys are restricted to users, and therefore count as run: ${named.join(", ")}${more}.`,
      "Delete them, and create an admin key without users or a run key with them.",
    ),
  ];
}

/** Gateways that allow tools which this version does not have. */
async function gatewayFindings({ gateways }: Runtime, principal: Principal): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const { items } = await gateways.list(principal, { limit: MAX_LIMIT, offset });
    for (const { slug, unknown_tools = [] } of items) {
      if (unknown_tools.length === 0) continue;
      const named = unknown_tools.slice(0, MAX_NAMED).map(({ name, message }) => `${name} ${message}`);
      const message = `${unknown_tools.length} of its tools do not exist: ${named.join(" ")}`;
      found.push(
        warning(
          `gateway ${slug}`,
          message,
          `Name its tools again: runtime gateways update ${slug} --tool NAME`,
        ),
      );
    }
    if (items.length < MAX_LIMIT) return found;
  }
}

/** How people sign in, and which check of users counts, in the project and where another differs. */
async function userFindings(runtime: Runtime, projectId: string): Promise<Finding[]> {
  const { fault, note } = signInOfDeployment(runtime.core);
  const own = await checksOf(runtime, projectId);
  const others = (await projectsWithOwnWays(runtime)).filter(({ project }) => project !== projectId);
  // What is wrong with the deployment is said once.
  const [first, ...rest] = [own, ...others]
    .filter((each) => fault === undefined || each.fault !== fault)
    .map((each) => verificationFinding(each, each === own));
  return [
    ...(fault === undefined ? [] : [refused("sign-in", new Error(fault))]),
    ...(first === undefined ? [] : [first]),
    ...(note === undefined
      ? []
      : [warning("sign-in", note, "Passkeys need a public_url with https and a name.")]),
    ...rest,
  ];
}

function verificationFinding({ project, check, fault }: ProjectChecks, isOwn: boolean): Finding {
  const subject = isOwn ? "verification" : `verification in ${project}`;
  if (fault !== undefined) return refused(subject, new Error(fault));
  const message = `Who consents is checked by: ${check}.`;
  if (!check.startsWith("none is")) return ok(subject, message);
  return problem(
    subject,
    "Users who consent are not verified, so consents are refused.",
    "Let people sign in (sign_in), or set a verifier (runtime settings update --verifier-url URL), or session_verification: page_only.",
  );
}

/** Empty if there are no user sources. */
function usersFindings({ settings }: Core): Finding[] {
  if (settings.user_sources.length === 0) return [];
  const sources = ambiguousSources(settings);
  if (sources.length === 0) return [ok("user sources", "User ids of different sources do not clash.")];
  return [
    warning(
      "user sources",
      `A user of ${sources.join(", ")} may have the same id as a user of another provider, and use the grants of that user.`,
      'Set a user_prefix for each; an empty one ("") means that they are the same people.',
    ),
  ];
}

/** Stored times are in the past, unless the clock was set back. */
async function clockFinding(runtime: Runtime, principal: Principal): Promise<Finding> {
  const newest = await runtime.trail.newestChange(principal);
  const ahead = (newest ?? 0) - runtime.core.clock.now();
  if (ahead < 60_000) return ok("clock", "No stored time is in the future.");
  const minutes = Math.round(ahead / 60_000);
  const message = `The time of the last change is ${minutes} minutes in the future: the clock is or was wrong.`;
  return problem("clock", message, "Synchronize the clock with a time server (timedatectl set-ntp true).");
}
