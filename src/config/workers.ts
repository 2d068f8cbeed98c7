// Workers in the configuration. Plain objects, like all schemas of settings (`records.ts`). What an address or a header may
// be is checked where workers are made.
import { readFileSync } from "node:fs";
import type { XStatic } from "typebox/schema";
import { fieldErrors, Redacted } from "../base";
import { settingError } from "./errors";
import type { Environment } from "./paths";
import { ModelEntryId } from "./records";

const uri = { type: "string", minLength: 1, maxLength: 2048 } as const;
const timeout = { type: "integer", minimum: 1, maximum: 3600 } as const;
const retry = { type: "integer", minimum: 0, maximum: 10 } as const;
const secret = { type: "string", minLength: 1, maxLength: 5000 } as const;
const text = { type: "string", maxLength: 4096 } as const;

const texts = { type: "array", items: text, maxItems: 200 } as const;
const paths = {
  type: "array",
  items: { type: "string", pattern: "^/[^\\u0000]*$", maxLength: 4096 },
  maxItems: 100,
} as const;

/** A program of this machine in place of an address. */
const stdio = {
  type: "object",
  required: ["command"],
  properties: {
    command: { type: "string", minLength: 1, maxLength: 4096 },
    arguments: texts,
    environment: {
      type: "object",
      additionalProperties: text,
      propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]{0,99}$" },
      maxProperties: 100,
    },
    shared: { type: "boolean" },
    sandbox: { enum: ["cage", "none"] },
    read: paths,
    write: paths,
  },
  additionalProperties: false,
} as const;

export const WorkerRecord = {
  type: "object",
  required: ["id"],
  properties: {
    id: ModelEntryId,
    enabled: { type: "boolean" },
    http: {
      type: "object",
      required: ["uri", "secret"],
      properties: { uri, secret, timeout, retry },
      additionalProperties: false,
    },
    mcp: {
      type: "object",
      properties: {
        uri,
        stdio,
        timeout,
        retry,
        headers: { type: "object", additionalProperties: text, maxProperties: 50 },
        secrets: { type: "object", additionalProperties: secret, maxProperties: 50 },
        oauth2: {
          type: "object",
          properties: {
            authorization_url: { type: "string", maxLength: 2048 },
            client_id: { type: "string", maxLength: 1000 },
            client_secret: { type: "string", maxLength: 1000 },
            external_id: { type: "string", maxLength: 100 },
          },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    toolkit: { type: "string", pattern: "^[A-Za-z0-9]{1,40}$" },
    updates: { enum: ["review", "auto"] },
    trust_annotations: { type: "boolean" },
    strict_results: { type: "boolean" },
    send_tokens: { type: "boolean" },
    identity: { enum: ["none", "jwt"] },
    identity_header: { type: "string", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" },
    limits: {
      type: "object",
      properties: {
        concurrency: { type: "integer", minimum: 1, maximum: 1000 },
        per_minute: { type: "integer", minimum: 1, maximum: 100_000 },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
type WorkerRecord = XStatic<typeof WorkerRecord>;

/** A worker. Its secrets are separate from the fields that may be shown. */
export interface StaticWorker {
  record: Omit<WorkerRecord, "http"> & { http?: Omit<NonNullable<WorkerRecord["http"]>, "secret"> };
  secret?: Redacted;
  clientSecret?: Redacted;
  secrets: Readonly<Record<string, Redacted>>;
}

type Refuse = (rule: string, field?: string) => Error;

/**
 * Reads the list. A secret `${env:NAME}` is the value of that environment variable, `${file:PATH}` the content of that file.
 * Throws `configuration` with the number of the entry and the rule, never with a value.
 */
export function readWorkers(value: unknown, origin: string, environment: Environment): StaticWorker[] {
  if (!Array.isArray(value)) return [];
  const ids = new Set<string>();
  return value.map((given: unknown, index) => {
    const refuse = (rule: string, field = ""): Error => {
      const key = ["workers", index, ...(field === "" ? [] : [field])].join(".");
      return settingError(origin, key, `"workers" entry ${index + 1} ${rule}.`);
    };
    const [error] = fieldErrors(WorkerRecord, given);
    if (error !== undefined) throw refuse(`${error.field} ${error.message}`.trim(), error.field);
    // Checked above.
    const { http, mcp, ...rest } = given as WorkerRecord;
    if ((http === undefined) === (mcp === undefined)) throw refuse("must have either http or mcp");
    if (ids.has(rest.id)) throw refuse("has the same id as an earlier entry");
    ids.add(rest.id);
    if (mcp !== undefined) checkPlace(mcp, refuse);
    const read = (text: string): Redacted => secretOf(text, environment, refuse);
    if (http !== undefined) {
      const { secret: key, ...shown } = http;
      return { record: { ...rest, http: shown }, secret: read(key), secrets: {} };
    }
    const { secrets = {}, oauth2, ...shown } = mcp ?? {};
    const { client_secret: client, ...oauth } = oauth2 ?? {};
    return {
      record: { ...rest, mcp: { ...shown, ...(oauth2 === undefined ? {} : { oauth2: oauth }) } },
      ...(client === undefined ? {} : { clientSecret: read(client) }),
      secrets: Object.fromEntries(Object.entries(secrets).map(([name, text]) => [name, read(text)])),
    };
  });
}

function checkPlace(
  { uri: address, stdio: program }: { uri?: string; stdio?: object },
  refuse: Refuse,
): void {
  if (address === undefined && program === undefined)
    throw refuse("mcp.uri is required, or mcp.stdio for a program", "mcp.uri");
  if (address !== undefined && program !== undefined)
    throw refuse("mcp must have either uri or stdio", "mcp");
}

function secretOf(text: string, environment: Environment, refuse: (rule: string) => Error): Redacted {
  const [, kind, name = ""] = /^\$\{(env|file):([^}]+)\}$/.exec(text) ?? [];
  if (kind === undefined) return new Redacted(text);
  const value = kind === "env" ? environment[name] : contentOf(name, refuse);
  if (value === undefined || value === "") {
    const where = kind === "env" ? "the environment variable" : "the file";
    throw refuse(`names ${where} ${name}, which is ${kind === "env" ? "not set" : "empty"}`);
  }
  return new Redacted(value);
}

function contentOf(path: string, refuse: (rule: string) => Error): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "an error";
    throw refuse(`names the file ${path}, which cannot be read (${code})`);
  }
}
