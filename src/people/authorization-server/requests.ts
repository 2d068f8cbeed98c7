// What a client asks a person for, and the person's answer.
import { type ClientOrigin, originOf } from "./clients";
import type { ProtectedResource } from "./resources";

export interface AskingClient {
  id: string;
  name: string | undefined;
  origin: ClientOrigin;
  /** Where the person is sent back to; undefined for a device. */
  returnsTo: string | undefined;
}

export interface AuthorizationRequest {
  /** The interaction, or the hash of a user code. */
  id: string;
  client: AskingClient;
  resource: ProtectedResource;
  /** The client wants the person to be asked, although it was allowed before. */
  asksAgain: boolean;
  /** Of the device, as it has said. */
  device?: { address: string | undefined; userAgent: string | undefined };
}

interface LibraryClient {
  readonly clientId: string;
  readonly clientName?: string;
}

export function askingClient({ clientId, clientName }: LibraryClient, redirectUri?: unknown): AskingClient {
  const url = typeof redirectUri === "string" ? URL.parse(redirectUri) : null;
  return {
    id: clientId,
    name: clientName,
    origin: originOf(clientId),
    // Of a scheme of a program: the scheme, which has no host.
    returnsTo: url === null ? undefined : /^https?:$/.test(url.protocol) ? url.host : `${url.protocol}//`,
  };
}
