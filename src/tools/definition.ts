// How a catalog says what a tool is. A definition is data and one function; everything around the function
// (requirements, conversion, checks, hooks, log) is the runtime's.
import type { Static, TObject, TSchema } from "typebox";
import type { EgressRequest } from "../egress";
import type { JsonObject } from "../base";
import type { ProviderPreset } from "../providers";
import type { Caller } from "./caller";
import type { CatalogCallback, CatalogPage } from "./page";

/** What a tool does to the world; listed as metadata and as MCP hints. */
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

/** Facts about a grant that the provider told when the user consented, such as the account's id and team. */
export interface Grant {
  connectionId: string;
  scopes: readonly string[];
  facts: JsonObject;
}

/** A cache that lives as long as one connection and its token; never shared between users. Bounded by entries. */
export interface ConnectionCache {
  /** For what is no answer of the platform, such as how often it was called: a newer token leaves it. */
  readonly lasting: Pick<ConnectionCache, "get" | "set">;
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown, ttlMs: number): void;
  delete(key: string): void;
  /** Work of this connection that is under way: identical work is done once. */
  once<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface PlatformRequest extends Omit<EgressRequest, "headers"> {
  headers?: Readonly<Record<string, string>>;
  /** Sends no `Authorization` header (private links). */
  anonymous?: boolean;
}

/** What a running tool may use. It never sees a token, another user's anything, or the database. */
export interface ToolContext {
  /**
   * Calls the platform with the user's token. `base` is a name from the catalog's `bases`, `path` is appended to its
   * address. The token goes only to the bases' own hosts. Throws `EgressError`.
   */
  fetch(base: string, path: string, request?: PlatformRequest): Promise<Response>;
  /** Undefined for tools that need no grant. */
  grant: Grant | undefined;
  /** The client that the user consented to. */
  provider: { id: string; clientId: string } | undefined;
  publicUrl: string;
  /** Values of the secrets that the definition names. */
  secrets: Readonly<Record<string, string>>;
  /** Whom progress can be told and questions be asked; absent where the protocol has no way back. */
  caller?: Caller;
  /** Aborts when the caller is gone or time is up. */
  signal: AbortSignal;
  /** Milliseconds since the epoch after which the run is cut off. */
  deadline: number;
  log(level: "debug" | "info" | "warning" | "error", message: string, subtype?: string): void;
  cache: ConnectionCache;
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface ToolDefinition<Input extends TObject = TObject, Output extends TSchema = TSchema> {
  name: string;
  description: string;
  /** `Type.Object` of parameters; each with a `description`. A default stands in the schema and is filled in. */
  input: Input;
  output: Output;
  /** The grant that the tool needs; absent: none at all. Empty scopes: an active provider, no connection. */
  authorization?: { provider: string; scopes: readonly string[] };
  secrets?: readonly string[];
  metadata: ToolMetadata;
  /** Qualified name of the tool that replaces this one. */
  replacement?: string;
  /** The day on which it was replaced, `2026-11-01`. */
  deprecatedSince?: string;
  /** Inputs that need neither provider nor secret (such as asking for a request schema). */
  waivesRequirements?: (input: JsonObject) => boolean;
  /** Parameters of integers whose value above the published maximum is cut to it instead of refused. */
  clamps?: readonly string[];
  /** Parameters of lists in which blank texts count for nothing. */
  skipsBlanks?: readonly string[];
  /** Parameters whose type the tool checks itself, with an error that helps more than the schema's. */
  checksItself?: readonly string[];
  /** Parameters of lists for which one text stands for a list of one. */
  singles?: readonly string[];
  run(input: Static<Input>, context: ToolContext): Promise<Static<Output>>;
}

/** Keeps the types of input and output together while a tool is written. */
export function defineTool<Input extends TObject, Output extends TSchema>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition {
  // `run` is only ever called with an input that was checked against this very schema.
  return definition as unknown as ToolDefinition;
}

/** An address that a catalog's tools call: the platform's own, unless a setting or a secret replaces it. */
export interface Base {
  url?: string;
  /** Name of a setting that replaces `url`. */
  setting?: string;
  /** Secret that holds the address. */
  secret?: string;
}

/** The tools of one platform. */
export interface Catalog {
  toolkit: { name: string; description: string; version: string };
  bases: Readonly<Record<string, Base>>;
  /** First word of the `Authorization` header; default `Bearer`. */
  tokenScheme?: string;
  pages?: readonly CatalogPage[];
  callback?: CatalogCallback;
  tools: readonly ToolDefinition[];
}

/** What is compiled in for particular platforms. */
export interface Extensions {
  catalogs: readonly Catalog[];
  /** Well-known auth providers, with or without tools. */
  presets: readonly ProviderPreset[];
}
