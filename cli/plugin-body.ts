// The record of a plugin from flags and a file. Tokens, keys and the signing secret come from a file or standard input,
// never from an argument.
import { given } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";

export interface PluginFields {
  name: string | undefined;
  description: string | undefined;
  status: string | undefined;
  /** Addresses of the webhooks. */
  access: string | undefined;
  pre: string | undefined;
  post: string | undefined;
  health: string | undefined;
  /** Of the hooks that a new plugin begins with. */
  failureMode: string;
  phase: string;
  priority: number | undefined;
  /** Files, or `-`. */
  tokenFrom: string | undefined;
  signingSecretFrom: string | undefined;
  file: string | undefined;
}

type Body = { [key: string]: unknown };

/** Flags win over the file. The caller checks the result against its schema. Throws `usage`, `malformed_request`. */
export async function pluginBody(io: Io, fields: PluginFields, purpose: "create" | "update"): Promise<Body> {
  const { file, tokenFrom, signingSecretFrom, health: health_check_path } = fields;
  if ([file, tokenFrom, signingSecretFrom].filter((source) => source === "-").length > 1)
    throw new UsageError("Standard input can be read for one thing only. Give the others as files.");
  const record = file === undefined ? {} : await recordIn(io, file);
  const before = objectOr(record["webhook_config"]);
  const endpoints = { ...objectOr(before["endpoints"]), ...endpointsOf(fields, purpose) };
  const token = await secretIn(io, tokenFrom, "The token");
  const auth = token === undefined ? {} : { auth: { ...objectOr(before["auth"]), type: "bearer", token } };
  const signing_secret = await secretIn(io, signingSecretFrom, "The signing secret");
  const config = {
    ...before,
    ...(Object.keys(endpoints).length === 0 ? {} : { endpoints }),
    ...auth,
    ...given({ health_check_path, signing_secret }),
  };
  const { name, description, status } = fields;
  return {
    ...(purpose === "create" ? { plugin_type: "webhook" } : {}),
    ...record,
    ...given({ name, description, status }),
    ...(Object.keys(config).length === 0 ? {} : { webhook_config: config }),
  };
}

function endpointsOf(fields: PluginFields, purpose: "create" | "update"): Body {
  const { failureMode: failure_mode, phase, priority } = fields;
  const ofHook = purpose === "create" ? { failure_mode, phase, ...given({ priority }) } : {};
  const { access, pre, post } = fields;
  const urls = Object.entries(given({ access, pre, post }));
  return Object.fromEntries(urls.map(([point, url]) => [point, { url, ...ofHook }]));
}

async function secretIn(io: Io, source: string | undefined, what: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  const { readText, withoutLineEnd } = await import("./input");
  const secret = withoutLineEnd(await readText(io, source, what));
  if (secret !== "") return secret;
  throw new UsageError(`${what} is empty.`);
}

/** The JSON object of a file, or of standard input. */
export async function recordIn(io: Io, file: string): Promise<Body> {
  const { isObject } = await import("../src/base");
  const { readJson } = await import("./input");
  const record = await readJson(io, file, "--file");
  if (isObject(record)) return record;
  throw new UsageError("--file must hold one JSON object.");
}

function objectOr(value: unknown): Body {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
