// The settings of the runtime itself, in one table: name, type, default, meaning. Catalogs declare further ones. The
// environment name of a key is `RUNTIME_` and the key in capitals with dots as `_`; in `runtime.yaml` a dot is a level.
import type { TSchema } from "typebox";
import type { XStatic } from "typebox/schema";
import { ModelRecord } from "./records";

export interface SettingDeclaration {
  schema: TSchema;
  /** Absent: unset. Folders depend on the environment and are filled in by `paths.ts`. */
  default?: unknown;
  meaning: string;
  /** Never shown, only that it is set. Not read from the file: a file is copied, mailed and committed. */
  secret?: true;
  /** A list of records rather than a setting: kept apart, since it may hold secrets. In the environment it is JSON. */
  records?: true;
}

/** By name. */
export type SettingDeclarations = Readonly<Record<string, SettingDeclaration>>;

const address = {
  type: "string",
  pattern: "^https?://[^\\s]+$",
  description: "an absolute http(s) address",
} as const;
const path = { type: "string", minLength: 1, description: "a path" } as const;
const text = { type: "string", minLength: 1, description: "a text" } as const;
const userSources = {
  type: "array",
  items: {
    type: "object",
    required: ["id", "issuer", "audience"],
    properties: {
      id: { type: "string", minLength: 1, maxLength: 100 },
      issuer: address,
      audience: text,
      user_claim: text,
      user_prefix: { type: "string", maxLength: 100, pattern: "^[ -~]*$" },
    },
    additionalProperties: false,
  },
  description: "a list of {id, issuer, audience, user_claim, user_prefix}, as JSON in the environment",
} as const;
const seconds = { type: "integer", minimum: 1, maximum: 3600, description: "seconds, 1 to 3600" } as const;

export const KEYS = {
  host: { schema: text, default: "127.0.0.1", meaning: "address on which the server listens" },
  port: {
    schema: { type: "integer", minimum: 0, maximum: 65535, description: "a port, 0 to 65535" },
    default: 9099,
    meaning: "port of the server; 0 takes a free one",
  },
  "tls.cert": {
    schema: path,
    meaning: "file with the certificate of the server and its chain (PEM); read again on SIGHUP",
  },
  "tls.key": {
    schema: path,
    meaning: "file with the private key of the certificate (PEM), without passphrase",
  },
  behind_proxy: {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "a proxy in front ends TLS: the server may listen for other machines without it",
  },
  data_dir: { schema: path, meaning: "folder of the database; default: the XDG data folder" },
  public_url: {
    schema: address,
    meaning:
      "address under which browsers and providers reach the server; redirect addresses are made from it",
  },
  project: { schema: text, default: "default", meaning: "project that commands work in" },
  user: { schema: text, meaning: "user that commands act for when --user is not given" },
  server: {
    schema: {
      type: "string",
      pattern: "^(https?://[^\\s]+|local)$",
      description: "an absolute http(s) address, or local",
    },
    meaning: "server that commands work against; local, or unset and no login: the data folder",
  },
  api_key: { schema: text, secret: true, meaning: "API key with which commands call the server" },
  root_key: {
    schema: text,
    secret: true,
    meaning: "root key of the encryption at rest, 32 bytes as base64 or hex",
  },
  root_key_file: {
    schema: path,
    meaning: "file with the root key; default: root.key beside the configuration",
  },
  session_verification: {
    schema: { enum: ["verify", "page_only"], description: "verify or page_only" },
    default: "verify",
    meaning: "page_only: on a public address the built-in page alone may decide who gives a consent",
  },
  unsafe_skip_verification_allowed: {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "projects may complete consents without any check of the user",
  },
  "auth.url": { schema: address, meaning: "OpenID provider whose access tokens identify users" },
  "auth.issuer": {
    schema: address,
    meaning:
      "the one issuer that counts, where auth.url names a template (https://idp.example/{tenantid}/v2.0)",
  },
  "auth.client_id": {
    schema: text,
    meaning: "our client at auth.url, with which browsers sign in before a consent",
  },
  "auth.client_secret": { schema: text, secret: true, meaning: "its secret; absent: a public client" },
  "auth.user_claim": {
    schema: text,
    default: "sub",
    meaning: "claim of a user token that holds the user id",
  },
  user_sources: {
    schema: userSources,
    default: [],
    meaning: "identity providers of customers whose tokens gateways with a user_source_id take",
  },
  "mcp.allowed_hosts": {
    schema: { type: "array", items: text, description: "a list of host names" },
    default: [],
    meaning:
      "further names under which MCP clients reach the server; that of public_url and localhost go anyway",
  },
  "mcp.keep_alive": {
    schema: seconds,
    default: 15,
    meaning: "seconds of silence after which a waiting MCP client gets a sign of life",
  },
  "mcp.max_result_bytes": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 1_000_000,
    meaning: "largest result of a tool that an MCP client gets; what is larger is cut and says so",
  },
  "egress.allow": {
    schema: {
      type: "array",
      items: text,
      description: "a list of loopback, private, host names or address ranges",
    },
    default: [],
    meaning: "addresses that are refused otherwise: loopback, private, host names, address ranges",
  },
  "egress.ca_file": {
    schema: path,
    meaning: "file with certificate authorities (PEM) to trust beside the system's",
  },
  "egress.timeout": { schema: seconds, default: 30, meaning: "time limit of one outbound request" },
  "egress.max_bytes": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 52_428_800,
    meaning: "largest answer that is read from an upstream, after decompression",
  },
  "redirects.allow": {
    schema: { type: "array", items: text, description: "a list of host names" },
    default: [],
    meaning: "hosts that next_uri may lead to; empty: any",
  },
  "cors.allow": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^(\\*|https?://[^/\\s?#@]+)$" },
      description: "a list of origins (https://app.example.com), or * for all",
    },
    default: [],
    meaning: "origins whose pages may call the API from a browser; empty: none",
  },
  "tools.timeout": { schema: seconds, default: 50, meaning: "time limit of one tool run" },
  models: {
    schema: {
      type: "array",
      items: ModelRecord,
      description: "a list of model entries, each with an id and either openai or anthropic",
    },
    records: true,
    meaning: "servers of language models that every project may use",
  },
  "llm.timeout": { schema: seconds, default: 120, meaning: "time limit of one chat completion" },
  "llm.tools": {
    schema: { enum: ["all", "read_only"], description: "all or read_only" },
    default: "all",
    meaning: "tools that chat completions may run; a project can only narrow it",
  },
  "llm.tool_result_limit": {
    schema: { type: "integer", minimum: 1024, maximum: 16_777_216, description: "bytes, 1024 to 16777216" },
    default: 65_536,
    meaning: "largest result of a tool that a model is given; a larger one is cut",
  },
  "http.body_limit": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 4_194_304,
    meaning: "largest request body",
  },
  "http.body_timeout": { schema: seconds, default: 30, meaning: "time in which a request body must arrive" },
  "http.rate_limit": {
    schema: { type: "integer", minimum: 0, maximum: 1_000_000, description: "requests, 0 to 1000000" },
    default: 0,
    meaning: "requests a minute that one credential may send to a server; 0: no limit",
  },
  "executions.keep_days": {
    schema: { type: "integer", minimum: 0, maximum: 36_500, description: "days, 0 to 36500" },
    default: 90,
    meaning: "days for which the execution log and scheduled runs that have ended are kept; 0: for ever",
  },
  "log.level": {
    schema: {
      enum: ["debug", "info", "warn", "error", "silent"],
      description: "debug, info, warn, error or silent",
    },
    default: "info",
    meaning: "least severe event that is logged",
  },
} as const satisfies SettingDeclarations;

export type KeyName = keyof typeof KEYS;
export type SettingOf<K extends KeyName> = XStatic<(typeof KEYS)[K]["schema"]>;

type WithDefault = {
  [K in KeyName]: (typeof KEYS)[K] extends { default: unknown } ? K : never;
}[KeyName];

/**
 * The runtime's own settings by name; keys without a default may be absent. The object also holds those of catalogs, for
 * who reads it as a record of unknown values.
 */
export type Settings = { [K in WithDefault]: SettingOf<K> } & {
  [K in Exclude<KeyName, WithDefault>]?: SettingOf<K>;
};

/** All settings: the runtime's own, which nothing replaces, and then the `declared` ones. */
export function declarationsWith(declared: SettingDeclarations): SettingDeclarations {
  const others = Object.entries(declared).filter(([name]) => !Object.hasOwn(KEYS, name));
  return { ...KEYS, ...Object.fromEntries(others) };
}

/** The environment variable of a key: `egress.allow` → `RUNTIME_EGRESS_ALLOW`. */
export function environmentName(name: string): string {
  return `RUNTIME_${name.toUpperCase().replaceAll(".", "_")}`;
}
