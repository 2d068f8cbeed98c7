// The client with which users consent to a worker: the given one, our client metadata document, or a registered one.
import type { Core } from "../../core";
import { authMethod } from "../../providers";
import { documentAddress } from "./client-document";
import type { Discovered } from "./discovery";
import { shown } from "./documents";
import { OAuthFailure } from "./failure";
import { isEndpoint } from "./issuer";
import { register, type Registration } from "./registration";

export interface WorkerClient {
  kind: "given" | "document" | "registered";
  id: string;
  secret?: string;
  method: "none" | "client_secret_basic" | "client_secret_post";
  /** Of a registered client. */
  registration?: Registration;
}

export interface ClientRequest {
  projectId: string;
  discovered: Discovered;
  redirectUri: string;
  /** What an administrator has given. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** An earlier registration for this worker. */
  registered?: Registration | undefined;
  /** Whether an administrator wants a new registration. */
  register?: boolean | undefined;
}

type Parts = Pick<Core, "egress" | "clock" | "publicUrl">;

/** Throws `OAuthFailure` with what an administrator must do. */
export async function clientFor(core: Parts, request: ClientRequest): Promise<WorkerClient> {
  const { projectId, discovered, redirectUri, clientId, clientSecret } = request;
  const { server } = discovered;
  if (clientId !== undefined) {
    const method = clientSecret === undefined ? "none" : methodFor(discovered);
    return {
      kind: "given",
      id: clientId,
      ...(clientSecret === undefined ? {} : { secret: clientSecret }),
      method,
    };
  }
  const document = documentAddress(core.publicUrl(), projectId);
  if (server.client_id_metadata_document_supported === true && document !== undefined)
    return { kind: "document", id: document, method: "none" };
  if (request.register === true)
    return registeredClient(await register(core, { projectId, redirectUri, discovered }));
  if (request.registered !== undefined && isUsable(core, request.registered, request))
    return registeredClient(request.registered);
  throw noClient(discovered, redirectUri);
}

function registeredClient(registration: Registration): WorkerClient {
  const { clientId: id, clientSecret: secret, method } = registration;
  return { kind: "registered", id, ...(secret === undefined ? {} : { secret }), method, registration };
}

/** Credentials are bound to the issuer and to the redirect address. */
function isUsable(
  { clock }: Pick<Core, "clock">,
  { issuer, redirectUri, expiresAt }: Registration,
  request: ClientRequest,
): boolean {
  const isSame = issuer === request.discovered.issuer && redirectUri === request.redirectUri;
  return isSame && (expiresAt === undefined || expiresAt * 1000 > clock.now());
}

function methodFor({ server }: Discovered): "client_secret_basic" | "client_secret_post" {
  const method = authMethod(false, server.token_endpoint_auth_methods_supported);
  return method === "client_secret_post" ? method : "client_secret_basic";
}

function noClient({ issuer, server }: Discovered, redirectUri: string): OAuthFailure {
  const name = `the authorization server "${shown(issuer)}"`;
  const byHand =
    `create a client with the redirect address ${redirectUri} in its console and set mcp.oauth2.client_id ` +
    "(and client_secret)";
  const message = isEndpoint(server.registration_endpoint)
    ? `This server has no client at ${name}. To register one there, set mcp.oauth2.register (runtime workers update ID --register); otherwise ${byHand}.`
    : `This server has no client at ${name}, which registers none by itself: ${byHand}.`;
  return new OAuthFailure("no_client", message);
}
