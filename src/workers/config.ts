// The settings of a worker as its row holds them, without the values of secrets.
import { invalidParameter, malformedRequest } from "../errors";
import { present } from "../base";
import { DEFAULT_HEADER } from "./identity";
import type { WorkerAccess } from "./oauth";
import type { WorkerRow } from "./repository";
import type { CreateWorker, UpdateWorker, Worker, WorkerType } from "./schema";
import type { GivenSecrets } from "./secrets";
import { newStdio, STDIO_SCHEME, type StdioConfig } from "./stdio/schema";
import { userKeysOf } from "./user-values";

export interface WorkerConfig {
  timeout: number;
  retry: number;
  headers?: Record<string, string>;
  oauth2?: {
    authorization_url?: string;
    client_id?: string;
    external_id?: string;
    issuer?: string;
    resource?: string;
  };
  /** A program of this machine in place of an address. */
  stdio?: StdioConfig;
  updates: Worker["updates"];
  trust_annotations: boolean;
  strict_results: boolean;
  send_tokens: boolean;
  limits?: NonNullable<Worker["limits"]>;
  /** MCP with OAuth: the auth provider of its tools, their scopes, and the user with whose grant its catalog is read. */
  authorization?: WorkerAccess;
  /** With whose own keys its catalog is read, if not those of the user that belongs to the worker. */
  key_user?: string;
  /** The header that tells it who calls; absent: it is not told. */
  identity_header?: string;
  /** The names of its sealed values (`secrets.ts`). */
  sealed: string[];
}

export function configOf(row: Pick<WorkerRow, "config">): WorkerConfig {
  // Written by this area only.
  return JSON.parse(row.config) as WorkerConfig;
}

/** The auth providers whose keys of the calling user are sent. */
export function userKeyIdsOf(row: Pick<WorkerRow, "config">): string[] {
  const { headers, stdio } = configOf(row);
  return userKeysOf({ ...headers, ...stdio?.environment });
}

/** The type and the settings of the protocol. Throws `malformed_request` unless exactly one protocol is given. */
export function protocolOf({ id, type, http, mcp }: CreateWorker): { type: WorkerType; uri: string } {
  if ((http === undefined) === (mcp === undefined))
    throw malformedRequest("Exactly one of http and mcp is required.");
  const given = http === undefined ? "mcp" : "http";
  if (type !== undefined && type !== given)
    throw malformedRequest(`type is ${type}, but ${given} is given. Give ${type}, or the type ${given}.`);
  return { type: given, uri: mcp?.stdio === undefined ? addressIn((http ?? mcp)?.uri) : programUri(id, mcp) };
}

function addressIn(uri: string | undefined): string {
  if (uri !== undefined) return uri;
  throw malformedRequest("failed to validate request body: mcp.uri is required", {
    fieldErrors: [{ field: "mcp.uri", rule: "required", message: "is required" }],
  });
}

/** The address of a program, which nothing is sent to. */
function programUri(id: string, { uri }: { uri?: string }): string {
  if (uri === undefined) return `${STDIO_SCHEME}${id}`;
  throw malformedRequest("mcp takes an address (uri) or a program (stdio), not both.");
}

export function newConfig({ http, mcp, ...own }: CreateWorker): WorkerConfig {
  const { client_secret: _, register: __, ...oauth2 } = mcp?.oauth2 ?? {};
  return {
    timeout: (http ?? mcp)?.timeout ?? 1,
    retry: (http ?? mcp)?.retry ?? 0,
    ...present({
      headers: mcp?.headers,
      oauth2: mcp?.oauth2 === undefined ? undefined : withoutEmpty(oauth2),
      stdio: mcp?.stdio === undefined ? undefined : newStdio(mcp.stdio),
    }),
    updates: own.updates ?? "review",
    trust_annotations: own.trust_annotations ?? false,
    strict_results: own.strict_results ?? false,
    send_tokens: own.send_tokens ?? true,
    ...present({ limits: own.limits, identity_header: identityHeader(undefined, own) }),
    sealed: [],
  };
}

/** The settings with the given changes. `headers` and `limits` are replaced. */
export function changedConfig(before: WorkerConfig, { http, mcp, ...own }: UpdateWorker): WorkerConfig {
  const { client_secret: _, register: __, ...oauth2 } = mcp?.oauth2 ?? {};
  const { updates, trust_annotations, strict_results, send_tokens, limits } = own;
  const { identity_header: header, ...rest } = before;
  return {
    ...rest,
    ...present({
      identity_header: identityHeader(header, own),
      timeout: http?.timeout ?? mcp?.timeout,
      retry: http?.retry ?? mcp?.retry,
      headers: mcp?.headers,
      oauth2: mcp?.oauth2 === undefined ? undefined : withoutEmpty({ ...before.oauth2, ...present(oauth2) }),
      stdio: before.stdio === undefined ? undefined : { ...before.stdio, ...present(mcp?.stdio ?? {}) },
      updates,
      trust_annotations,
      strict_results,
      send_tokens,
      limits,
    }),
  };
}

/** The header after a change. Throws `invalid_parameter` for one that would carry nothing. */
function identityHeader(
  before: string | undefined,
  { identity, identity_header: given }: Pick<UpdateWorker, "identity" | "identity_header">,
): string | undefined {
  const isOn = identity === undefined ? before !== undefined : identity === "jwt";
  if (isOn) return given ?? before ?? DEFAULT_HEADER;
  if (given !== undefined)
    throw invalidParameter("identity_header has no effect without identity. Set identity to jwt.");
  return undefined;
}

/** An empty text takes an address back. That of `resource` has a meaning of its own. */
function withoutEmpty(oauth2: NonNullable<WorkerConfig["oauth2"]>): NonNullable<WorkerConfig["oauth2"]> {
  const { authorization_url, issuer, ...rest } = oauth2;
  const text = (given: string | undefined): string | undefined => (given === "" ? undefined : given);
  return present({ ...rest, authorization_url: text(authorization_url), issuer: text(issuer) });
}

/** The secret values of a request; an empty one removes a value. */
export function givenSecrets({ http, mcp }: Pick<UpdateWorker, "http" | "mcp">): GivenSecrets {
  return present({
    secret: http?.secret,
    client_secret: mcp?.oauth2?.client_secret,
    secrets: mcp?.secrets,
  });
}
