// The record of a plugin from flags and a file. Tokens, keys and the signing secret come from a file or standard input,
// never from an argument.
import { defined } from "./command";
import { UsageError } from "./errors";
import { objectOr, readObject } from "./input";
import type { Io } from "./io";
import { secretFrom } from "./secret-value";

export interface PluginFields {
  name: string | undefined;
  description: string | undefined;
  status: string | undefined;
  /** Addresses of the webhooks. */
  access: string | undefined;
  pre: string | undefined;
  post: string | undefined;
  health: string | undefined;
  /** Fields of the hooks that are created with a plugin. */
  failureMode: string;
  phase: string;
  priority: number | undefined;
  /** Files, or `-`. */
  tokenFrom: string | undefined;
  signingSecretFrom: string | undefined;
  file: string | undefined;
}

type Body = { [key: string]: unknown };

/** Flags override the file. The result is not yet checked against its schema. Throws `usage`, `malformed_request`. */
export async function pluginBody(io: Io, fields: PluginFields, purpose: "create" | "update"): Promise<Body> {
  const { file, tokenFrom, signingSecretFrom, health: health_check_path } = fields;
  if ([file, tokenFrom, signingSecretFrom].filter((source) => source === "-").length > 1)
    throw new UsageError("Standard input can be used only once. Use files for the others.");
  const record = file === undefined ? {} : await readObject(io, file);
  const before = objectOr(record["webhook_config"]);
  const endpoints = { ...objectOr(before["endpoints"]), ...endpointsOf(fields, purpose) };
  const token = await secretIn(io, tokenFrom, "The token");
  const auth = token === undefined ? {} : { auth: { ...objectOr(before["auth"]), type: "bearer", token } };
  const signing_secret = await secretIn(io, signingSecretFrom, "The signing secret");
  const config = {
    ...before,
    ...(Object.keys(endpoints).length === 0 ? {} : { endpoints }),
    ...auth,
    ...defined({ health_check_path, signing_secret }),
  };
  const { name, description, status } = fields;
  return {
    ...(purpose === "create" ? { plugin_type: "webhook" } : {}),
    ...record,
    ...defined({ name, description, status }),
    ...(Object.keys(config).length === 0 ? {} : { webhook_config: config }),
  };
}

function endpointsOf(fields: PluginFields, purpose: "create" | "update"): Body {
  const { failureMode: failure_mode, phase, priority } = fields;
  const hook = purpose === "create" ? { failure_mode, phase, ...defined({ priority }) } : {};
  const { access, pre, post } = fields;
  const urls = Object.entries(defined({ access, pre, post }));
  return Object.fromEntries(urls.map(([point, url]) => [point, { url, ...hook }]));
}

async function secretIn(io: Io, file: string | undefined, what: string): Promise<string | undefined> {
  return file === undefined ? undefined : secretFrom(io, { file }, what);
}
