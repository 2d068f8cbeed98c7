// The package has no types. These cover what is used of it. Its entry point prints a warning about the runtime, so its modules
// are imported.
declare module "oidc-provider/lib/provider.js" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface StoredItem {
    readonly jti: string;
    readonly clientId?: string;
    readonly exp?: number;
    save(ttlSeconds?: number): Promise<string>;
    destroy(): Promise<void>;
  }

  export interface GrantItem extends StoredItem {
    addResourceScope(resource: string, scope: string): void;
  }

  export interface InteractionItem extends StoredItem {
    readonly returnTo: string;
    readonly exp: number;
    readonly params: Readonly<Record<string, unknown>>;
    result?: object;
    save(ttlSeconds: number): Promise<string>;
  }

  export interface DeviceCodeItem extends StoredItem {
    readonly clientId: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly deviceInfo?: unknown;
    readonly isExpired: boolean;
    accountId?: string;
    grantId?: string;
    scope?: string;
    resource?: string;
    error?: string;
    errorDescription?: string;
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientUri?: string;
    readonly redirectUris: readonly string[];
    readonly clientAuthMethod: string;
    readonly clientIdMetadataDocument?: boolean;
    grantTypeAllowed(type: string): boolean;
  }

  interface Model<Item> {
    readonly name: string;
    find(id: string): Promise<Item | undefined>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    on(event: string, listener: (context: { req: IncomingMessage }, error: unknown) => void): this;
    readonly Client: Model<Client> & { validate(metadata: object): Promise<void> };
    readonly Grant: Model<GrantItem> &
      (new (of: { jti: string; accountId: string; clientId: string }) => GrantItem);
    readonly Interaction: Model<InteractionItem>;
    readonly AccessToken: Model<StoredItem>;
    readonly AuthorizationCode: Model<StoredItem>;
    readonly RefreshToken: Model<StoredItem>;
    readonly PushedAuthorizationRequest: Model<StoredItem>;
    readonly ReplayDetection: Model<StoredItem>;
    readonly Session: Model<StoredItem>;
    readonly DeviceCode: Model<DeviceCodeItem> & {
      findByUserCode(code: string): Promise<DeviceCodeItem | undefined>;
    };
  }
}

declare module "oidc-provider/lib/helpers/errors.js" {
  export class OIDCProviderError extends Error {
    readonly error: string;
    readonly error_description?: string;
    readonly statusCode: number;
  }
  export class InvalidTarget extends OIDCProviderError {
    constructor(description?: string);
  }
  export class InvalidGrant extends OIDCProviderError {
    constructor(detail?: string);
  }
  export class InvalidScope extends OIDCProviderError {
    constructor(description: string, scope?: string);
  }
  export class AccessDenied extends OIDCProviderError {
    constructor(description?: string);
  }
}

declare module "oidc-provider/lib/helpers/interaction_policy/index.js" {
  export class Check {
    constructor(reason: string, description: string, check: (context: never) => boolean);
  }
  export class Prompt {
    constructor(of: { name: string; requestable: boolean }, ...checks: Check[]);
  }
}

declare module "oidc-provider/lib/helpers/keystore.js" {
  import type { KeyObject } from "node:crypto";

  export class ExternalSigningKey {
    alg: string;
    kid: string;
    keyObject(): KeyObject;
    sign(data: Uint8Array): Promise<Uint8Array>;
  }
}

declare module "oidc-provider/lib/helpers/fetch_request.js" {
  export default function fetchRequest(provider: unknown, url: string, options: object): Promise<Response>;
}

declare module "oidc-provider/lib/helpers/weak_cache.js" {
  import type { Provider } from "oidc-provider/lib/provider.js";

  export default function instance(provider: Provider): { responseModes: Map<string, unknown> };
}
