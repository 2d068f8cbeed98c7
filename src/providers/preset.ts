// What the runtime knows about a well-known auth provider.
import type { JsonObject } from "../base";

/** A well-known auth provider: a record with its `provider_id` starts from these values. Data, in the catalog. */
export interface ProviderPreset {
  id: string;
  description: string;
  oauth2: JsonObject;
  /** Facts to keep of a token answer: name → JSON path. They reach tools as `grant.facts`. */
  facts?: Readonly<Record<string, string>>;
  /** Facts that together name the account at the provider. */
  account?: readonly string[];
  /** Other names of scopes → the names under which they are granted. */
  scopeAliases?: Readonly<Record<string, string>>;
  /** What an operator does at the platform's console. */
  setup?: ProviderSetupSteps;
  /** How a grant is ended at the provider, in the shape of a record's requests. */
  revoke?: JsonObject;
  /** Whether ending one grant of an account leaves its others alive. Default: it may end them all. */
  revokesAlone?: boolean;
  /** For a provider whose users' grants lie on one of several token servers. */
  tokenServers?: TokenServers;
}

export interface ProviderSetupSteps {
  /** Address of the platform's console. */
  console: string;
  steps: readonly string[];
  /** Whether the platform takes plain http for this machine, or never. */
  refusesHttp: "always" | "except_loopback";
}

/**
 * The callback names the server that holds the user's grant, for example that of the user's data center: the code
 * exchange and every refresh go to the endpoint's path there. The client's secret goes to known origins only.
 */
export interface TokenServers {
  /** Callback parameter with the server's origin. Absent: the endpoints as they stand. */
  parameter: string;
  /** Under this name the origin is kept among the facts of the grant. */
  fact: string;
  /** Origins that may be named, besides that of the endpoint itself. */
  origins: readonly string[];
  /** Name of a setting with further origins. */
  setting?: string;
}
