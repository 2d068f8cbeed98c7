// The flags of `workers create` and `update`, and the record that they make. Secrets come from variables and files.
import type { FlagSpec, Line } from "./command";
import { defined } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { type SecretSource, secretFrom, sourceOf } from "./secret-value";
import {
  namesProgram,
  PROGRAM_FLAGS,
  programFields,
  type ProgramFields,
  programPart,
} from "./worker-program";
import { pair, variable } from "./worker-values";

export const TYPES = ["http", "mcp"] as const;
export type WorkerType = (typeof TYPES)[number];

export const WORKER_FLAGS: readonly FlagSpec[] = [
  { flag: "--toolkit <name>", meaning: "first part of the names of its tools" },
  { flag: "--call-timeout <seconds>", meaning: "how long a call may take" },
  { flag: "--retry <count>", meaning: "how often a request that may be repeated is repeated" },
  {
    flag: "--updates <manner>",
    meaning: "changes of its tools take effect when they are accepted (review) or at once (auto)",
  },
  { flag: "--secret-stdin", meaning: "http only: read the secret that signs calls from standard input" },
  { flag: "--secret-file <file>", meaning: "http only: read the secret from a file" },
  { flag: "--secret-env <variable>", meaning: "http only: take the secret from an environment variable" },
  { flag: "--send-tokens", meaning: "http only: it gets the users' tokens that its tools ask for" },
  { flag: "--no-send-tokens", meaning: "http only: it never gets a user's token" },
  {
    flag: "--header <name=value>",
    meaning: "mcp only: a header of each request; may be repeated",
    repeat: true,
  },
  {
    flag: "--header-env <name=variable>",
    meaning: "mcp only: a header whose value is a secret in an environment variable; may be repeated",
    repeat: true,
  },
  { flag: "--client-id <id>", meaning: "mcp only: the OAuth client at its authorization server" },
  { flag: "--client-secret-env <variable>", meaning: "mcp only: the secret of the client" },
  {
    flag: "--authorization-url <address>",
    meaning: "mcp only: its authorization server, if it names a wrong one",
  },
  {
    flag: "--issuer <address>",
    meaning: "mcp only: the issuer that its authorization server may name, if you know it",
  },
  {
    flag: "--resource <address>",
    meaning: "mcp only: what tokens are for, in place of what it says; empty: none",
  },
  { flag: "--register", meaning: "mcp only: register a new client at its authorization server now" },
  { flag: "--trust-annotations", meaning: "mcp only: believe its hints which calls may be repeated" },
  { flag: "--strict-results", meaning: "mcp only: a result that does not match its schema is a failure" },
  {
    flag: "--identity <manner>",
    meaning: "each request says on whose behalf it is sent, in a signed token (jwt), or not (none)",
  },
  { flag: "--identity-header <name>", meaning: "the header of that token" },
  { flag: "--concurrency <count>", meaning: "calls at the same time" },
  { flag: "--per-minute <count>", meaning: "calls in a minute" },
  ...PROGRAM_FLAGS,
];

export interface WorkerFields {
  type: WorkerType | undefined;
  secret: SecretSource | undefined;
  headers: readonly string[];
  secretHeaders: readonly string[];
  clientSecret: string | undefined;
  /** Fields of the record itself. */
  own: object;
  /** Those of them that matter for a preview. */
  identity: object;
  /** Fields of `http` or `mcp`, whichever it is. */
  server: { timeout: number | undefined; retry: number | undefined };
  oauth2: object;
  program: ProgramFields;
}

export function workerFields(line: Line): WorkerFields {
  const limits = defined({
    concurrency: line.integer("concurrency", 1),
    per_minute: line.integer("per-minute", 1),
  });
  const identity = defined({
    identity: line.choice("identity", ["none", "jwt"]),
    identity_header: line.text("identity-header"),
  });
  return {
    type: line.choice("type", TYPES),
    secret: sourceOf(line.has("secret-stdin"), line.text("secret-file"), line.text("secret-env")),
    headers: line.texts("header") ?? [],
    secretHeaders: line.texts("header-env") ?? [],
    clientSecret: line.text("client-secret-env"),
    own: defined({
      toolkit: line.text("toolkit"),
      updates: line.choice("updates", ["review", "auto"]),
      send_tokens: line.toggle("send-tokens"),
      trust_annotations: line.has("trust-annotations") ? true : undefined,
      strict_results: line.has("strict-results") ? true : undefined,
      ...identity,
      limits: Object.keys(limits).length === 0 ? undefined : limits,
    }),
    identity,
    server: { timeout: line.integer("call-timeout", 1), retry: line.integer("retry", 0) },
    oauth2: defined({
      client_id: line.text("client-id"),
      authorization_url: line.text("authorization-url"),
      issuer: line.text("issuer"),
      resource: line.text("resource"),
      register: line.has("register") ? true : undefined,
    }),
    program: programFields(line),
  };
}

/** The part `http` or `mcp` of a request. Throws `usage` for flags of the other type. */
export async function serverPart(io: Io, type: WorkerType, fields: WorkerFields): Promise<object> {
  const { server, headers, secretHeaders, oauth2, clientSecret, secret, program } = fields;
  if (type === "http" && namesProgram(program)) throw new UsageError("Only MCP servers can be programs.");
  if (type === "http") {
    if (headers.length + secretHeaders.length + Object.keys(oauth2).length > 0 || clientSecret !== undefined)
      throw new UsageError(
        "Headers and OAuth clients are for MCP servers. A worker of type http has a secret.",
      );
    const value = secret === undefined ? undefined : await secretFrom(io, secret, "The secret");
    return defined({ ...server, secret: value });
  }
  if (secret !== undefined)
    throw new UsageError("--secret-… is for workers of type http. MCP servers take --header-env.");
  const given = {
    ...oauth2,
    client_secret: clientSecret === undefined ? undefined : variable(io, clientSecret),
  };
  const client = defined(given);
  const ofHeaders = headersOf(io, headers, secretHeaders);
  const ofProgram = programPart(io, program);
  const secrets = { ...ofHeaders.secrets, ...ofProgram.secrets };
  return defined({
    ...server,
    headers: ofHeaders.headers,
    stdio: ofProgram.stdio,
    secrets: Object.keys(secrets).length === 0 ? undefined : secrets,
    oauth2: Object.keys(client).length === 0 ? undefined : client,
  });
}

/** Values from the environment become secrets of the record, which its headers name. */
function headersOf(
  io: Io,
  plain: readonly string[],
  secret: readonly string[],
): { headers?: object; secrets?: object } {
  if (plain.length + secret.length === 0) return {};
  const headers: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, value] of plain.map((text) => pair(text, "--header"))) headers[name] = value;
  for (const [name, from] of secret.map((text) => pair(text, "--header-env"))) {
    const key = name.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase();
    secrets[key] = variable(io, from);
    headers[name] = `\${secret:${key}}`;
  }
  return { headers, ...(secret.length === 0 ? {} : { secrets }) };
}
