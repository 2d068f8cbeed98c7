// The authorization request (RFC 6749 section 4.1.1, RFC 7636).
import * as oauth from "oauth4webapi";
import { fill, fillAddress, mentions, type Provider } from "../providers";

export interface ProviderAddressOptions {
  provider: Provider;
  /** All scopes to request: those that are granted and those that are needed. */
  scopes: readonly string[];
  /** Those of them that are already granted. */
  granted: readonly string[];
  state: string;
  verifier: string | undefined;
}

/** Keeps parameters of the provider's endpoint and sets ours. */
export async function providerAddress(options: ProviderAddressOptions): Promise<string> {
  const { provider, state, verifier } = options;
  const { authorize, clientId } = provider.oauth2;
  const templates = Object.entries(authorize.params ?? {});
  const values = {
    client_id: clientId,
    redirect_uri: provider.redirectUri,
    ...scopeValues(options, [authorize.endpoint, ...templates.map(([, template]) => template)]),
  };
  const url = new URL(fillAddress(authorize.endpoint, values));
  for (const [name, template] of templates) {
    const value = fill(template, values).trim();
    if (value !== "") url.searchParams.set(name, value);
  }
  url.searchParams.set("state", state);
  if (verifier !== undefined) {
    url.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(verifier));
    url.searchParams.set("code_challenge_method", "S256");
  }
  return url.href;
}

// `{{scopes}}` is all scopes, unless a template contains the granted ones separately.
function scopeValues({ provider, scopes, granted }: ProviderAddressOptions, templates: readonly string[]) {
  const delimiter = provider.oauth2.scopeDelimiter;
  const separate = templates.some((template) => mentions(template, "existing_scopes"));
  const requested = separate ? scopes.filter((scope) => !granted.includes(scope)) : scopes;
  return { scopes: requested.join(delimiter), existing_scopes: granted.join(delimiter) };
}
