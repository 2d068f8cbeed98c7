// The definition of a tool in a catalog: data and one function. The runtime does the rest (requirements, conversion,
// checks, hooks, log).
import type { Static, TObject, TSchema } from "typebox";
import type { EgressRequest } from "../egress";
import type { JsonObject, Redacted } from "../base";
import type { ProviderPreset } from "../providers";
import type { Caller } from "./caller";
import type { ToolMemory } from "./memory";
import type { CatalogCallback, CatalogPage } from "./page";
import type { EverydayWords } from "./search/everyday-words";
import type { SelfCheck } from "./self-check/definition";

/** The behaviour of a tool, for listings and MCP hints. */
export interface ToolMetadata {
  classification?: { service_domains: string[] };
  behavior: {
    operations: ("read" | "create" | "update" | "delete" | "opaque")[];
    read_only: boolean;
    destructive: boolean;
    idempotent: boolean;
    open_world: boolean;
  };
  extras?: JsonObject;
}

/** The user's grant. `facts` come from the provider's token response, such as the ids of account and team. */
export interface Grant {
  connectionId: string;
  scopes: readonly string[];
  facts: JsonObject;
}

/** A cache for one connection and its token; never shared between users. The number of entries is limited. */
export interface ConnectionCache {
  /** Survives a new token. For data that does not come from the platform, such as the number of calls. */
  readonly lasting: Pick<ConnectionCache, "get" | "set">;
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown, ttlMs: number): void;
  delete(key: string): void;
  /** Concurrent work of this connection with the same key is done once. */
  once<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface PlatformRequest extends Omit<EgressRequest, "fence" | "project" | "secretsFor"> {
  /** Sends no `Authorization` header (private links). */
  anonymous?: boolean;
  /** The body with the user's token in it, in place of `body`. Only for a base that `receivesToken`. */
  bodyWithToken?: (token: Redacted | undefined) => Redacted;
}

/** The run, as its execution record names it. */
export interface CallFacts {
  /** `te_…`, or `ta_…` for a later attempt of a scheduled run. */
  id: string;
  /** `tc_…`, the same in all attempts. */
  executionId: string;
  projectId: string;
  userId: string;
  /** Who asked for it, as the execution log names it: `key:ID`, `user:ID`, `operator`. */
  actor: string;
}

/** What a running tool may use. It has no access to tokens, the database or other users. */
export interface ToolContext {
  call: CallFacts;
  /**
   * Calls the platform with the user's token. `base` is a name from the catalog's `bases`, `path` is appended to its
   * address. The token goes only to the bases' own hosts. Throws `EgressError`.
   */
  fetch(base: string, path: string, request?: PlatformRequest): Promise<Response>;
  /** Rejects if the run must not send anything any more, such as one whose time another run has taken. `fetch` asks it itself. */
  fence?: (() => Promise<void>) | undefined;
  /**
   * Called when the platform has refused the token of a request, which it has not performed. True: `fetch` has a newer token
   * now, and the same request may be sent again. A run renews its token at most once. Throws `ToolError` if the provider
   * cannot be asked.
   */
  renew(): Promise<boolean>;
  /**
   * Called after a request that has changed something at the platform, or may have. If the run fails later, callers are told
   * not to repeat it, unless the tool may be repeated safely.
   */
  reportEffect(): void;
  /** Undefined for tools that need no grant. */
  grant: Grant | undefined;
  /** The client that the user consented to. */
  provider: { id: string; clientId: string } | undefined;
  publicUrl: string;
  /** Values of the secrets that the definition names. */
  secrets: Readonly<Record<string, string>>;
  /** The calling user's own keys that the definition names, by the ids of their auth providers. */
  userKeys: Readonly<Record<string, Redacted>>;
  /** For progress and questions; absent if the protocol does not support them. */
  caller?: Caller;
  /** Aborts when the caller disconnects or the time is up. */
  signal: AbortSignal;
  /** Milliseconds since the epoch after which the run is cut off. */
  deadline: number;
  log(level: "debug" | "info" | "warning" | "error", message: string, subtype?: string): void;
  cache: ConnectionCache;
  /** Survives the process, and is shared by all processes. Slower than the cache. */
  memory: ToolMemory;
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface ToolDefinition<Input extends TObject = TObject, Output extends TSchema = TSchema> {
  name: string;
  description: string;
  /** `Type.Object` of parameters; each with a `description`. Defaults in the schema are filled in. */
  input: Input;
  output: Output;
  /** How its results arrive, for listings. Absent: as a value or an error. */
  modes?: readonly string[];
  /**
   * The grant that the tool needs; absent: none at all. Empty scopes: an active provider, no connection; for a tool of a
   * worker: a connection with any scopes. `provider` is a `provider_id`; with `id`, it is that one record.
   */
  authorization?: { provider: string; id?: string; scopes: readonly string[] };
  secrets?: readonly string[];
  /** Ids of auth providers of the type `api_key`: the tool runs only for users who have given a key for each of them. */
  userKeys?: readonly string[];
  metadata: ToolMetadata;
  /** Name of the tool that replaces this one, `Toolkit.Tool`. */
  replacement?: string;
  /** The input with which the replacement does the same; absent: this tool's own. Hooks see it. */
  asReplacement?: (input: Static<Input>) => object;
  /** The day on which it was replaced, `2026-11-01`. */
  deprecatedSince?: string;
  /** Whether an input needs neither provider nor secret (such as a request for a schema). */
  waivesRequirements?: (input: JsonObject) => boolean;
  /**
   * Integer parameters whose values are moved into this range instead of refused. Their schemas have no `minimum` and no
   * `maximum`: clients that check them would refuse what the tool accepts.
   */
  clamps?: Readonly<Record<string, { minimum: number; maximum: number }>>;
  /** Text parameters with ids of digits only: a JSON integer is accepted as its digits, however many it has. */
  ids?: readonly string[];
  /** List parameters in which blank texts are ignored. */
  skipsBlanks?: readonly string[];
  /** Parameters whose type the tool checks itself, with a more helpful error. */
  checksItself?: readonly string[];
  /** Text parameters that contain a document: their length is limited only by the size of the request. */
  documents?: readonly string[];
  /** List parameters that accept a single text instead of a list. */
  singles?: readonly string[];
  /**
   * Refuses an input for what its schema cannot say, such as one of several parameters that is required, from the input
   * alone: it is asked right after the schema, before requirements and hooks, also by dry runs and when a run is scheduled.
   * `run` gets only inputs that it has accepted. What depends on the platform or on the time is up to `run`. Throws
   * `ToolError`.
   */
  judge?(input: Static<Input>): void | Promise<void>;
  /** Comes from a worker: its schema is JSON Schema from outside, and the input is checked against all of it. */
  foreign?: boolean;
  /** Parameters whose values a model must not make up. */
  notInferrable?: readonly string[];
  /** Why not to use it any more, from its worker. */
  deprecation?: string;
  /** The members of the tool as an MCP server sent them, for clients of gateways. */
  original?: JsonObject;
  /** Reads a resource, gets a prompt or completes an argument at an MCP server: not listed as a tool by gateways. */
  reserved?: "resource" | "prompt" | "completion";
  /** The output, or a `Carried` with an answer for clients of gateways. */
  run(input: Static<Input>, context: ToolContext): Promise<Static<Output>>;
}

/** Checks the types of a definition: the input and output of `run` must match the schemas. */
export function defineTool<Input extends TObject, Output extends TSchema>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition {
  // `run` is called only with an input that was checked against this schema.
  return definition as unknown as ToolDefinition;
}

/** An address that a catalog's tools call. A setting or a secret can replace it. */
export interface Base {
  url?: string;
  /** What authenticates requests: the user's token in the `Authorization` header (default), or what the tool sends. */
  credential?: "bearer" | "none";
  /** Whether the user's token may be in the body of a request. */
  receivesToken?: boolean;
  /** Name of a setting that replaces `url`. */
  setting?: string;
  secret?: AddressSecret;
}

/**
 * A secret with the address that user tokens are sent to. It must not be possible to send them elsewhere by setting it, so
 * only known origins are accepted, and hooks cannot replace it.
 */
export interface AddressSecret {
  name: string;
  /** Origins of the platform. */
  origins: readonly string[];
  /** Name of the setting with more origins. */
  setting: string;
  /** Other names of these origins: origin → one of `origins`. */
  aliases?: Readonly<Record<string, string>>;
  /** Name of the grant's fact with the address at which its token is valid. */
  fact?: string;
}

/** The worker of a catalog, with what an MCP server offers besides tools, as it sent it. */
export interface CatalogWorker {
  id: string;
  type: "http" | "mcp";
  prompts?: readonly JsonObject[];
  resources?: readonly JsonObject[];
  resourceTemplates?: readonly JsonObject[];
  /** Whether it completes arguments of prompts and templates. */
  completes?: boolean;
}

/** The tools of one platform. */
export interface Catalog {
  toolkit: { name: string; description: string; version: string };
  /** The worker that runs the tools; absent for those that are compiled in. */
  worker?: CatalogWorker;
  bases: Readonly<Record<string, Base>>;
  /** First word of the `Authorization` header; default `Bearer`. */
  tokenScheme?: string;
  /** The account at the platform that a grant is for, by its facts: what the platform counts per client and account. */
  accountOf?(facts: JsonObject): string | undefined;
  pages?: readonly CatalogPage[];
  callback?: CatalogCallback;
  /** Words of its tools, and what people say for them, for the search (`search/everyday-words.ts`). */
  everydayWords?: EverydayWords;
  /** Checks of the platform's behaviour on a real account. */
  selfCheck?: SelfCheck;
  tools: readonly ToolDefinition[];
}

/** The catalogs and presets that are compiled in. */
export interface Extensions {
  catalogs: readonly Catalog[];
  /** Well-known auth providers, with or without tools. */
  presets: readonly ProviderPreset[];
}
