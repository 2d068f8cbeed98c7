// The configuration of the library: what of OAuth it does here, and where it asks us.
import { InvalidGrant, InvalidTarget } from "oidc-provider/lib/helpers/errors.js";
import { Check, Prompt } from "oidc-provider/lib/helpers/interaction_policy/index.js";
import type { Core } from "../../core";
import { DEFAULT_ID } from "../../identity";
import { type Adapter, adapterOf } from "./adapter";
import type { Clients } from "./clients";
import type { CollectedWrites } from "./collected-writes";
import { COMMAND_LINE } from "./clients";
import { fetchOf } from "./documents";
import { ASSERTION_ALGORITHMS, CLIENT_AUTHENTICATION, PATHS } from "./endpoints";
import { chainHash, type ClientGrants, type Person } from "./grants";
import { LIFETIMES } from "./lifetimes";
import type { Admission, ProtectedResource, Resources } from "./resources";
import { librarySigningKey, type Signer, TOKEN_ALGORITHM } from "./signer";
import { accountOf, API_SCOPE, GATEWAY_SCOPE, grantOfChain, OFFLINE_SCOPE } from "./terms";

export interface ConfigurationParts {
  core: Core;
  writes: CollectedWrites;
  clients: Clients;
  grants: ClientGrants;
  resources: Resources;
  signer: Signer;
  /** Whether a person may still use a resource. */
  admission: Admission;
  /** Whether the document of a client may be fetched for the caller at this address. */
  mayFetch(address: string | undefined): boolean;
}

// What is used of the library's context.
interface Context {
  ip?: string;
  type: string;
  body: unknown;
  set(name: string, value: string): void;
  get(name: string): string;
  oidc: {
    route: string;
    params: { resource?: string | string[] | undefined; scope?: string | undefined };
    result?: { login?: unknown; consent?: { grantId?: string } };
    client?: { clientId: string };
    provider: { Grant: { find(id: string): Promise<unknown> } };
  };
}

interface Token {
  accountId: string;
  clientId: string;
  grantId: string;
  /** Of an access token. */
  aud: string;
  resource?: string;
}

interface UnsignedToken {
  header?: object;
  payload: Record<string, unknown>;
}

/** The header with which an answer says that it is an error for people. */
export const ERROR_PAGE = "x-error-page";
/** Names of the library's cookies, which do not leave this process. */
export const COOKIES = { session: "session", interaction: "interaction", resume: "resume" } as const;

const FIRST_STEPS = ["authorization", "pushed_authorization_request", "device_authorization"];

export function configurationOf(parts: ConfigurationParts): object {
  const { core, signer } = parts;
  const resources = resourceIndicators(parts);
  return {
    adapter: adapterFunction(adapterOf(parts)),
    jwks: { keys: [librarySigningKey(signer)] },
    fetch: fetchOf(core),
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      revocation: PATHS.revoke,
      device_authorization: PATHS.device,
      pushed_authorization_request: PATHS.pushed,
      code_verification: PATHS.userCode,
      jwks: PATHS.keys,
    },
    responseTypes: ["code"],
    scopes: [OFFLINE_SCOPE],
    clientAuthMethods: [...CLIENT_AUTHENTICATION],
    enabledJWA: { clientAuthSigningAlgValues: [...ASSERTION_ALGORITHMS] },
    clientDefaults: {
      grant_types: ["authorization_code"],
      id_token_signed_response_alg: TOKEN_ALGORITHM,
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    // A redirect address is always compared.
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed("refresh_token"),
    expiresWithSession: async () => false,
    // Other origins may read the answers; which ones is not decided by the library.
    clientBasedCORS: () => true,
    cookies: { names: COOKIES },
    ttl: LIFETIMES,
    features: {
      ...featuresWithout(UNUSED_FEATURES),
      resourceIndicators: resources,
      revocation: { enabled: true, allowedPolicy: onlyOwn },
      deviceFlow: { enabled: true, mask: "****-****", charset: "base-20", deviceInfo },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: false },
      externalSigningSupport: { enabled: true, ack: "experimental-01" },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: async (context: Context) => parts.mayFetch(context.ip),
        allowClient: async () => true,
        cacheDuration: { min: 60, max: 3600 },
      },
    },
    interactions: {
      url: (_context: unknown, { uid }: { uid: string }) => `${core.publicUrl()}${PATHS.interaction}/${uid}`,
      policy: POLICY,
    },
    loadExistingGrant: async ({ oidc }: Context) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    findAccount: async (_context: unknown, id: string, token: Token | undefined) =>
      (await isAdmitted(parts, accountOf(id), token))
        ? { accountId: id, claims: async () => ({ sub: id }) }
        : undefined,
    formats: { customizers: { jwt: claimsOf(parts) } },
    renderError: async (context: Context, out: object) => {
      context.type = "application/json";
      context.set(ERROR_PAGE, "yes");
      context.body = out;
    },
  };
}

const UNUSED_FEATURES = [
  "backchannelLogout",
  "ciba",
  "claimsParameter",
  "clientCredentials",
  "devInteractions",
  "dPoP",
  "encryption",
  "introspection",
  "jwtIntrospection",
  "jwtResponseModes",
  "jwtUserinfo",
  "mTLS",
  "registration",
  "registrationManagement",
  "requestObjects",
  "richAuthorizationRequests",
  "rpInitiatedLogout",
  "userinfo",
  "webMessageResponseMode",
];

function featuresWithout(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, { enabled: false }]));
}

/** Every authorization asks us: the library has no sessions, and the person is the one who is signed in with the browser. */
const POLICY = [
  new Prompt(
    { name: "login", requestable: true },
    new Check("asks", "A person must answer.", ({ oidc }: Context) => oidc.result?.login === undefined),
  ),
  new Prompt({ name: "consent", requestable: true }),
  new Prompt({ name: "select_account", requestable: true }),
];

// The library tells classes from functions, and calls functions.
function adapterFunction(of: (kind: string) => Adapter): (kind: string) => Adapter {
  return (kind) => of(kind);
}

function resourceIndicators({ core, resources }: ConfigurationParts): object {
  return {
    enabled: true,
    useGrantedResource: async () => true,
    defaultResource: async ({ oidc }: Context, client: { clientId: string }, oneOf?: unknown) => {
      if (oneOf !== undefined) throw new InvalidTarget(ONE_RESOURCE);
      const isCommandLine = client.clientId === COMMAND_LINE && !asks(oidc.params.scope, GATEWAY_SCOPE);
      const resource = isCommandLine ? await resources.api(DEFAULT_ID) : await resources.only();
      if (resource !== undefined) return resource.address;
      throw new InvalidTarget(
        "Send the address of the gateway as the parameter resource (RFC 8707): this server does not have exactly one.",
      );
    },
    getResourceServerInfo: async ({ oidc }: Context, address: string, { clientId }: { clientId: string }) => {
      if (Array.isArray(oidc.params.resource) && oidc.params.resource.length > 1)
        throw new InvalidTarget(ONE_RESOURCE);
      const resource = await resources.at(address);
      if (resource === undefined || (resource.scope === API_SCOPE && clientId !== COMMAND_LINE))
        throw new InvalidTarget(
          `The resource is not the address of a gateway that people sign in to. Send it as ${core.publicUrl()}/mcp/SLUG.`,
        );
      // What a client asks for besides has no meaning here. The answer tells the scope of the token (RFC 6749, section 3.3).
      if (FIRST_STEPS.includes(oidc.route)) oidc.params.scope = resource.scope;
      return resourceServer(resource);
    },
  };
}

const ONE_RESOURCE = "A token is for one resource. Ask for one at a time.";

function resourceServer({ address, scope }: ProtectedResource): object {
  return {
    audience: address,
    scope,
    accessTokenFormat: "jwt",
    accessTokenTTL: LIFETIMES.AccessToken,
    jwt: { sign: { alg: TOKEN_ALGORITHM } },
  };
}

function asks(scope: string | undefined, wanted: string): boolean {
  return scope?.split(" ").includes(wanted) === true;
}

async function isAdmitted(
  { resources, admission }: ConfigurationParts,
  { userId }: Person,
  token: Token | undefined,
): Promise<boolean> {
  // Without a token, the page has just decided.
  if (token === undefined) return true;
  const resource = token.resource === undefined ? undefined : await resources.at(token.resource);
  return resource !== undefined && (await admission(resource, userId)) === undefined;
}

/** The claims of an access token (RFC 9068), in the time of this installation. */
function claimsOf({ core, grants, resources, signer, writes }: ConfigurationParts) {
  return async (_context: unknown, token: Token, unsigned: UnsignedToken): Promise<void> => {
    const { projectId, userId } = accountOf(token.accountId);
    const grant = grantOfChain(token.grantId);
    // The address may lead to another gateway than when the person allowed it.
    const resource = await resources.at(token.aud);
    const allowed = await grants.resourceOf({ projectId, userId }, grant);
    if (allowed === undefined || resource?.id !== allowed) throw new InvalidGrant("the grant has ended");
    await writes.add(grants.used(projectId, grant, token.clientId));
    const now = Math.floor(core.clock.now() / 1000);
    Object.assign(unsigned.payload, {
      sub: userId,
      project_id: projectId,
      gid: grant,
      sid: chainHash(token.grantId),
      iat: now,
      exp: now + LIFETIMES.AccessToken,
    });
    unsigned.header = { kid: await signer.keyId() };
  };
}

/** A client revokes its own tokens. Of others it learns nothing (RFC 7009, section 2.1). */
async function onlyOwn(_context: unknown, client: { clientId: string }, token: Token): Promise<boolean> {
  return token.clientId === client.clientId;
}

function deviceInfo(context: Context): object {
  return { ip: context.ip, ua: context.get("user-agent").slice(0, 200) };
}
