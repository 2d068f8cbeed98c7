// What the kinds of workers have in common: the catalog as it is stored, and how a kind is asked.
import type { JsonObject, Redacted } from "../base";
import type { EgressCause } from "../egress";
import type { Catalog, ToolDefinition, ToolMetadata } from "../tools";
import type { WorkerIdentity } from "./identity";
import type { StdioConfig } from "./stdio/schema";
import type { WorkerUser } from "./user-values";

/** One tool of a worker as its stored catalog holds it. JSON only. */
export interface WorkerTool {
  /** The name by which the worker knows it. */
  upstream: string;
  /** Absent: the toolkit of the worker's record. An HTTP worker names its own, and may have several versions of one. */
  toolkit?: { name: string; description?: string; version?: string };
  /** Behind the name of the toolkit: `[A-Za-z0-9_]{1,128}`. */
  name: string;
  /** Without control characters and marks of direction, at most 4,096 characters. */
  description: string;
  /** JSON Schema of an object, checked before it was stored. */
  input: JsonObject;
  output?: JsonObject;
  /** How its results arrive, as an HTTP worker declares it. Absent: value and error. */
  modes?: string[];
  /** Parameters whose values a model must not make up. */
  notInferrable?: string[];
  metadata: ToolMetadata;
  /** `provider`: the `provider_id` or the id of a record; `id`: the id of a record only. */
  authorization?: { provider?: string; id?: string; scopes: string[] };
  secrets?: string[];
  /** Keys of the metadata that an HTTP worker wants with a call. */
  sendsMetadata?: string[];
  deprecation?: string;
  /**
   * MCP: the members of the tool as the worker sent them, for clients of gateways. Schemas only where they differ from
   * `input` and `output`.
   */
  original?: JsonObject;
  /** Reads a resource, gets a prompt or completes an argument; not a tool of the worker. */
  reserved?: "resource" | "prompt" | "completion";
}

/** A tool that cannot be offered, or a part of one that was left out. */
export interface Skipped {
  name: string;
  reason: string;
}

/** A catalog as it was read from a worker. */
export interface ReadCatalog {
  tools: WorkerTool[];
  skipped: Skipped[];
  server?: { name: string; version?: string; title?: string; description?: string };
  instructions?: string;
  /** As the worker sent them. */
  prompts?: JsonObject[];
  resources?: JsonObject[];
  resourceTemplates?: JsonObject[];
  offers?: { prompts?: boolean; resources?: boolean; completions?: boolean };
  /** How long the worker says that the catalog stays valid. */
  ttlMs?: number;
  /** The catalog belongs to the user whose token was sent. */
  isPrivate?: boolean;
}

/** A worker with what its calls need. Secrets are opened when they are asked for. */
export interface LoadedWorker {
  projectId: string;
  id: string;
  /** Of its record, ms: a later worker with the same id is another. 0: of the configuration. */
  createdAt: number;
  type: "http" | "mcp";
  /** Of a program, `stdio:` and its id: nothing is sent there. */
  uri: string;
  /** MCP: its address with the secrets that `uri` refers to; absent if it refers to none. */
  address?: () => Promise<Redacted>;
  /** MCP: a program of this machine in place of an address. */
  stdio?: StdioConfig;
  timeoutMs: number;
  /** How often a request that may be repeated is repeated. */
  retry: number;
  toolkit: string;
  /** HTTP: whether the user's tokens may leave for the worker. */
  sendTokens: boolean;
  /** MCP: whether its hints decide about repeats. */
  trustAnnotations: boolean;
  /** MCP: whether a result that breaks its schema is a failure. */
  strictResults: boolean;
  /** HTTP: the secret that signs calls. */
  secret(): Promise<Redacted>;
  /** MCP: the values of its secrets, by name, for the environment of a program. */
  secrets(): Promise<Readonly<Record<string, string>>>;
  /** MCP: the record's headers, with the values of its secrets and of the user. Those of a user are left out without one. */
  headers(user?: WorkerUser): Promise<Readonly<Record<string, string | Redacted>>>;
  /** MCP with OAuth: the auth provider of its tools, and their scopes. */
  providerId?: string;
  scopes?: readonly string[];
  /** `identity: jwt`: how it is told who calls. */
  identity?: WorkerIdentity;
  /** Ids of auth providers of the type `api_key` whose keys of the calling user are sent. */
  userKeys: readonly string[];
}

export interface AskOptions {
  /** Of the administrator's consent (MCP with OAuth). */
  token?: Redacted;
  /** The administrator for whom it is asked, and the own keys of that user, by the ids of their providers. */
  userId?: string;
  userKeys?: Readonly<Record<string, Redacted>>;
  signal?: AbortSignal;
}

/** A protocol that workers speak. */
export interface WorkerKind {
  /** Asks the worker for its catalog. Throws `WorkerFailure`. */
  read(worker: LoadedWorker, options: AskOptions): Promise<ReadCatalog>;
  /** Whether the worker answers. Throws `WorkerFailure`. */
  probe(worker: LoadedWorker, options: AskOptions): Promise<{ server?: ReadCatalog["server"] }>;
  bases(worker: LoadedWorker): Catalog["bases"];
  run(worker: LoadedWorker, tool: WorkerTool): ToolDefinition["run"];
  /** Ends what it keeps open. */
  close?(): Promise<void>;
}

export type WorkerFailureReason =
  "unreachable" | "timeout" | "address_refused" | "unauthorized" | "refused" | "protocol" | "too_large";

/** Why a worker could not be asked. The message is for the operator and names no secret. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
  readonly reason: WorkerFailureReason;
  /** `WWW-Authenticate` of a 401 or 403. */
  readonly challenge: string | undefined;

  constructor(
    reason: WorkerFailureReason,
    message: string,
    options: { challenge?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.challenge = options.challenge;
  }
}

/** The same request may succeed later. */
export class PassingFailure extends WorkerFailure {}

/** Why a worker gave no answer, by what the outbound client says. */
export const NO_ANSWER: Readonly<Record<EgressCause, WorkerFailureReason>> = {
  address_refused: "address_refused",
  not_resolved: "unreachable",
  unreachable: "unreachable",
  tls: "unreachable",
  aborted: "unreachable",
  timeout: "timeout",
  too_large: "too_large",
  redirect_refused: "refused",
};
