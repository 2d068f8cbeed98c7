// The settings of the runtime itself: name, type, default, meaning. Catalogs declare more. A setting `a.b` is the variable
// `RUNTIME_A_B`, and the key `b` below `a` in `runtime.yaml`.
import type { TSchema } from "typebox";
import type { XStatic } from "typebox/schema";
import { AUDIT_KEYS } from "./audit-keys";
import { BACKUP_KEYS } from "./backup-keys";
import { DATABASE_KEYS } from "./database-keys";
import { HTTP_KEYS } from "./http-keys";
import { LOG_KEYS } from "./log-keys";
import { RETENTION_KEYS } from "./retention-keys";
import { METRICS_KEYS } from "./metrics-keys";
import { SHUTDOWN_KEYS } from "./shutdown-keys";
import { SIGN_IN_KEYS } from "./sign-in-keys";
import { ModelRecord } from "./records";
import { ROOT_KEY_KEYS } from "./root-key-keys";
import { TRACE_KEYS } from "./trace-keys";
import { WORKER_KEYS } from "./worker-keys";
import { address, count, path, seconds, text, userSources } from "./types";

export interface SettingDeclaration {
  schema: TSchema;
  /** Absent: unset. Default folders depend on the environment; see `paths.ts`. */
  default?: unknown;
  meaning: string;
  /** Never shown, and not read from the file, because files are copied, mailed and committed. */
  secret?: true;
  /** A list of texts that is JSON in the environment, because its texts may contain commas. */
  json?: true;
  /** A list of records. It is not shown, because it may contain secrets. In the environment it is JSON. */
  records?: true;
  /** A database URL: `settings` and all that is shown have it without its password, and arguments must not contain one. */
  databaseUrl?: true;
  /** Its flag, if that is not `--` and the name. */
  flag?: string;
}

/** By name. */
export type SettingDeclarations = Readonly<Record<string, SettingDeclaration>>;

export const KEYS = {
  host: { schema: text, default: "127.0.0.1", meaning: "address that the server listens on" },
  port: {
    schema: { type: "integer", minimum: 0, maximum: 65535, description: "a port, 0 to 65535" },
    default: 9099,
    meaning: "port of the server; 0 chooses a free one",
  },
  "tls.cert": {
    schema: path,
    meaning: "file with the certificate chain of the server (PEM); read again on SIGHUP",
  },
  "tls.key": {
    schema: path,
    meaning: "file with the private key of the certificate (PEM), without a passphrase",
  },
  behind_proxy: {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "a proxy terminates TLS, so the server may accept other machines without TLS",
  },
  data_dir: { schema: path, meaning: "data folder; default: the XDG data folder" },
  public_url: {
    schema: address,
    meaning: "address at which browsers and providers reach the server; redirect addresses start with it",
  },
  project: { schema: text, default: "default", meaning: "project that commands work in" },
  user: { schema: text, meaning: "user that commands act for without --user" },
  server: {
    schema: {
      type: "string",
      pattern: "^(https?://[^\\s]+|local)$",
      description: "an absolute http(s) address, or local",
    },
    meaning: "server that commands use; local, or unset without a login: the data folder",
  },
  api_key: { schema: text, secret: true, meaning: "API key that commands send to the server" },
  ...ROOT_KEY_KEYS,
  ...DATABASE_KEYS,
  session_verification: {
    schema: { enum: ["verify", "page_only"], description: "verify or page_only" },
    default: "verify",
    meaning: "page_only: on a public address the built-in page is enough to verify a user",
  },
  unsafe_skip_verification_allowed: {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "projects may complete consents without verifying the user",
  },
  "auth.url": { schema: address, meaning: "OpenID provider whose access tokens identify users" },
  "auth.issuer": {
    schema: address,
    meaning: "the issuer to accept, if auth.url publishes a template (https://idp.example/{tenantid}/v2.0)",
  },
  "auth.client_id": {
    schema: text,
    meaning: "our client id at auth.url; browsers sign in with it before a consent",
  },
  "auth.client_secret": {
    schema: text,
    secret: true,
    meaning: "client secret of auth.client_id; absent: a public client",
  },
  "auth.user_claim": {
    schema: text,
    default: "sub",
    meaning: "claim of a user token that contains the user id",
  },
  user_sources: {
    schema: userSources,
    default: [],
    meaning: "identity providers of customers; gateways with a user_source_id accept their tokens",
  },
  ...SIGN_IN_KEYS,
  "mcp.allowed_hosts": {
    schema: { type: "array", items: text, description: "a list of host names" },
    default: [],
    meaning:
      "more host names at which MCP clients reach the server, besides localhost and that of public_url",
  },
  "mcp.keep_alive": {
    schema: seconds,
    default: 15,
    meaning: "seconds without output after which a waiting MCP client gets a keep-alive",
  },
  "mcp.max_result_bytes": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 1_000_000,
    meaning: "largest tool result for MCP clients; a larger one is truncated, with a note",
  },
  "egress.allow": {
    schema: {
      type: "array",
      items: text,
      description:
        "a list of loopback, private, host names or address ranges, each with an optional port and project",
    },
    default: [],
    meaning:
      "exceptions from the address policy: loopback, private, host names, address ranges; host:port limits the port, " +
      '"project=ID " in front the project',
  },
  "egress.ca_file": {
    schema: path,
    meaning: "file with more certificate authorities to trust (PEM)",
  },
  "egress.timeout": { schema: seconds, default: 30, meaning: "time limit of an outbound request" },
  "egress.max_bytes": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 52_428_800,
    meaning: "largest upstream response, after decompression",
  },
  "egress.max_total_bytes": {
    schema: { type: "integer", minimum: 1024, maximum: 68_719_476_736, description: "bytes" },
    default: 67_108_864,
    meaning: "all large upstream responses that are received at the same time; others wait",
  },
  "redirects.allow": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^(https?://)?[^/\\s?#@]+$" },
      description: "a list of origins (https://app.example.com:8443); without a scheme, https is meant",
    },
    default: [],
    meaning: "origins that next_uri and verifier_url may lead to; empty: any",
  },
  "cors.allow": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^(\\*|https?://[^/\\s?#@]+)$" },
      description: "a list of origins (https://app.example.com), or * for all",
    },
    default: [],
    meaning: "origins that may call the API from a browser; empty: none",
  },
  "tools.timeout": { schema: seconds, default: 50, meaning: "time limit of a tool run" },
  models: {
    schema: {
      type: "array",
      items: ModelRecord,
      description: "a list of model entries, each with an id and either openai or anthropic",
    },
    records: true,
    meaning: "model entries that every project may use",
  },
  ...WORKER_KEYS,
  "llm.timeout": { schema: seconds, default: 120, meaning: "time limit of a chat completion" },
  "llm.tools": {
    schema: { enum: ["all", "read_only"], description: "all or read_only" },
    default: "all",
    meaning: "tools that chat completions may run; a project can only restrict it further",
  },
  "llm.tool_result_limit": {
    schema: { type: "integer", minimum: 1024, maximum: 16_777_216, description: "bytes, 1024 to 16777216" },
    default: 65_536,
    meaning: "largest tool result for a model; a larger one is truncated",
  },
  ...HTTP_KEYS,
  "limits.bad_credentials": {
    schema: count,
    default: 10,
    meaning:
      "bad credentials per second of each address and each key prefix, after a burst of five times as many; 0: no limit",
  },
  "limits.pending_consents_per_user": {
    schema: count,
    default: 100,
    meaning: "pending consents of each user; 0: no limit",
  },
  "limits.pending_consents_per_project": {
    schema: count,
    default: 10_000,
    meaning: "pending consents of each project; 0: no limit",
  },
  "limits.long_polls_per_key": {
    schema: count,
    default: 1000,
    meaning: "long polls of each credential at the same time; 0: no limit",
  },
  "limits.streams_per_key": {
    schema: count,
    default: 1000,
    meaning: "streams of MCP clients that listen for changes, for each credential; 0: no limit",
  },
  "limits.streams": {
    schema: count,
    default: 10_000,
    meaning: "streams of MCP clients that listen for changes, for each server process; 0: no limit",
  },
  "limits.scheduled_runs_per_project": {
    schema: count,
    default: 100_000,
    meaning: "scheduled runs of each project that have not ended; 0: no limit",
  },
  "limits.calls_per_project": {
    schema: count,
    default: 2000,
    meaning: "tool calls and chat completions of each project at the same time; 0: no limit",
  },
  ...RETENTION_KEYS,
  ...AUDIT_KEYS,
  ...BACKUP_KEYS,
  ...LOG_KEYS,
  ...METRICS_KEYS,
  ...SHUTDOWN_KEYS,
  ...TRACE_KEYS,
} as const satisfies SettingDeclarations;

export type KeyName = keyof typeof KEYS;
type SettingOf<K extends KeyName> = XStatic<(typeof KEYS)[K]["schema"]>;

type WithDefault = {
  [K in KeyName]: (typeof KEYS)[K] extends { default: unknown } ? K : never;
}[KeyName];

/**
 * The runtime's own settings by name; those without a default may be absent. At run time the object also contains the
 * settings of catalogs.
 */
export type Settings = { [K in WithDefault]: SettingOf<K> } & {
  [K in Exclude<KeyName, WithDefault>]?: SettingOf<K>;
};

/** The runtime's own settings, which cannot be replaced, and then the `declared` ones. */
export function declarationsWith(declared: SettingDeclarations): SettingDeclarations {
  const others = Object.entries(declared).filter(([name]) => !Object.hasOwn(KEYS, name));
  return { ...KEYS, ...Object.fromEntries(others) };
}

/** The environment variable of a setting: `egress.allow` → `RUNTIME_EGRESS_ALLOW`. */
export function environmentName(name: string): string {
  return `RUNTIME_${name.toUpperCase().replaceAll(".", "_")}`;
}
