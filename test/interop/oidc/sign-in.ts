// A person on the provider's pages: fills in the forms, with the cookies of one browser.
import * as oauth from "oauth4webapi";
import { Browser } from "../../support/browser";
import { APP, type OpenIdProvider } from "./provider";

const INSECURE = { [oauth.allowInsecureRequests]: true };

/**
 * Goes from the provider's authorization address through its pages as `user`. Returns the client's address to which the
 * browser is redirected, without calling it.
 */
export async function signInAs(
  issuer: string,
  address: string,
  user: string,
  browser = new Browser(),
): Promise<string> {
  let response = await browser.open(address);
  for (let page = 0; page < 12; page++) {
    const location = response.headers.get("location");
    if (location !== null) {
      const next = new URL(location, issuer);
      if (next.origin !== new URL(issuer).origin) return location;
      response = await browser.open(next.href);
      continue;
    }
    const html = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    if (response.status !== 200 || action === undefined) {
      throw new Error(`no page to sign in: ${response.status} ${html}`);
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? "";
    const fields = prompt === "login" ? { prompt, login: user, password: "any" } : { prompt };
    response = await browser.open(new URL(action.replaceAll("&amp;", "&"), issuer).href, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
  }
  throw new Error("the provider's pages do not end");
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string | undefined;
}

/** Tokens of a person for an audience, from the code flow of the public client. */
export async function tokensOf(provider: OpenIdProvider, user: string, audience: string): Promise<Tokens> {
  const server = await discover(provider);
  const verifier = oauth.generateRandomCodeVerifier();
  const address = new URL(server.authorization_endpoint ?? "");
  const state = oauth.generateRandomState();
  const parameters = {
    client_id: APP.id,
    redirect_uri: APP.redirectUris[0] ?? "",
    response_type: "code",
    scope: "openid email offline_access",
    prompt: "consent",
    resource: audience,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const back = new URL(await signInAs(provider.url, address.href, user));
  const client = { client_id: APP.id };
  const answer = oauth.validateAuthResponse(server, client, back, state);
  const options = { ...INSECURE, additionalParameters: { resource: audience } };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    parameters.redirect_uri,
    verifier,
    options,
  );
  return tokensIn(await oauth.processAuthorizationCodeResponse(server, client, response));
}

/** The next token pair. The refresh token works once. */
export async function refreshed(
  provider: OpenIdProvider,
  { refresh_token }: Tokens,
  audience: string,
): Promise<Tokens> {
  const server = await discover(provider);
  const client = { client_id: APP.id };
  const options = { ...INSECURE, additionalParameters: { resource: audience } };
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    refresh_token ?? "",
    options,
  );
  return tokensIn(await oauth.processRefreshTokenResponse(server, client, response));
}

async function discover({ url }: OpenIdProvider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE));
}

function tokensIn({ access_token, id_token, refresh_token }: oauth.TokenEndpointResponse): Tokens {
  return { access_token, id_token: id_token ?? "", refresh_token };
}
