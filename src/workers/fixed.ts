// Workers of the configuration: every project offers their tools, and the API cannot change them.
import type { StaticWorker } from "../config";
import { configurationError, RuntimeError } from "../errors";
import { configOf } from "./config";
import type { KnownWorker } from "./known";
import { plainRow } from "./rows";
import type { CreateWorker } from "./schema";
import { type GivenSecrets, namesOf } from "./secrets";

/** Its row belongs to no project yet. */
export type FixedWorker = Required<KnownWorker>;

const TIMEOUT = 50;
const RETRY = 2;

/** Throws `configuration` for a worker that breaks a rule of workers. `taken`: toolkits of this server, in lower case. */
export function fixedWorkers(given: readonly StaticWorker[], taken: ReadonlySet<string>): FixedWorker[] {
  const toolkits = new Set(taken);
  return given.map((one, index) => {
    const where = `"workers" entry ${index + 1}`;
    const worker = made(one, where);
    const toolkit = worker.row.toolkit.toLowerCase();
    if (toolkit !== "" && toolkits.has(toolkit))
      throw configurationError(`${where}: another toolkit has the name ${worker.row.toolkit}. Set toolkit.`);
    toolkits.add(toolkit);
    return worker;
  });
}

export function ofProject({ row, fixed }: FixedWorker, projectId: string): KnownWorker {
  return { row: { ...row, project_id: projectId }, fixed };
}

function made({ record, secret, clientSecret, secrets }: StaticWorker, where: string): FixedWorker {
  const fixed: GivenSecrets = {
    ...(secret === undefined ? {} : { secret: secret.reveal() }),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret.reveal() }),
    secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, value.reveal()])),
  };
  const { http, mcp, ...rest } = record;
  const common = { timeout: TIMEOUT, retry: RETRY };
  const request: CreateWorker = {
    ...rest,
    ...(http === undefined ? {} : { http: { ...common, ...http, secret: fixed.secret ?? "" } }),
    ...(mcp === undefined ? {} : { mcp: { ...common, ...mcp, secrets: fixed.secrets ?? {} } }),
  };
  try {
    const { row } = plainRow("", request, 0);
    const config = { ...configOf(row), sealed: namesOf(fixed) };
    return { row: { ...row, config: JSON.stringify(config) }, fixed };
  } catch (error) {
    if (error instanceof RuntimeError) throw configurationError(`${where}: ${error.message}`);
    throw error;
  }
}
