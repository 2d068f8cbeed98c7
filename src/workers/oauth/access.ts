// How users consent to a worker, as its row holds it. No part of it is secret.
import type { Discovered } from "./discovery";
import type { WorkerClient } from "./client";

/** What an administrator has set (`mcp.oauth2` of the record). */
export interface GivenOAuth2 {
  /** The address of the authorization server, in place of the one that the worker names. */
  authorization_url?: string | undefined;
  /** The issuer that its metadata may have. */
  issuer?: string | undefined;
  /** In place of the resource that the worker names; empty: none is sent. */
  resource?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** That of an existing auth provider to use, or of the new one. */
  external_id?: string | undefined;
  /** Whether to register a new client. */
  register?: boolean | undefined;
}

export interface WorkerAccess {
  /** The id of the auth provider. Without a client, there is none with this id yet. */
  provider: string;
  /** Whether the provider was created for the worker. */
  owned: boolean;
  external_id: string;
  /** The address of the worker that users consent to. */
  uri: string;
  /** The scopes that the worker has asked for. */
  scopes: string[];
  supported_scopes: string[];
  issuer?: string;
  resource?: string;
  /** Where its challenge said that the metadata is. */
  resource_metadata?: string;
  client?: WorkerClient["kind"];
  warnings?: string[];
  /** The user with whose grant its catalog is read. */
  user?: string;
  /** What an administrator must do first. */
  problem?: string;
  /** The provider is inactive because the worker names another issuer than the one that users consented at. */
  stopped?: true;
}

/** The facts of a discovery. */
export function factsOf(
  { issuer, needed, supportedScopes, warnings }: Discovered,
  resource: string,
): Pick<WorkerAccess, "issuer" | "resource" | "scopes" | "supported_scopes" | "warnings"> {
  return {
    issuer,
    resource,
    scopes: needed,
    supported_scopes: supportedScopes,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
