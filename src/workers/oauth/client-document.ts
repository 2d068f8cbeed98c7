// Our client metadata document (OAuth Client ID Metadata Document): its address is the client id of a project.
import type { Providers } from "../../providers";

const PLACE = "/.well-known/oauth-client/";

/** The address for a project; undefined if this server is not reached over https, which the document needs. */
export function documentAddress(publicUrl: string, projectId: string): string | undefined {
  if (!publicUrl.startsWith("https://")) return undefined;
  return `${publicUrl}${PLACE}${encodeURIComponent(projectId)}`;
}

/** The document; undefined if no worker of the project needs it. */
export async function clientDocument(
  providers: Providers,
  publicUrl: string,
  projectId: string,
): Promise<object | undefined> {
  const client_id = documentAddress(publicUrl, projectId);
  if (client_id === undefined) return undefined;
  const redirect_uris = (await providers.ofProject(projectId))
    .filter(({ active, oauth2 }) => active && oauth2.clientId === client_id)
    .map(({ redirectUri }) => redirectUri);
  if (redirect_uris.length === 0) return undefined;
  return {
    client_id,
    client_name: `runtime (${new URL(publicUrl).host})`,
    client_uri: publicUrl,
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}
