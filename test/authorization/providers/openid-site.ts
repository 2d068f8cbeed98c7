// The certified provider behind a record that was made from its issuer alone, and people who consent there.
import { generateKeyPairSync } from "node:crypto";
import { type ApiAnswer, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { signInAs } from "../../interop/oidc/sign-in";
import { type OpenIdProvider, type ProviderOptions, startOpenIdProvider } from "../../interop/oidc/provider";
import { type ProviderSite, startProviderSite } from "./site";

export const SCOPES = ["openid", "offline_access", "email", "a", "b"];

export type ClientKind = "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "public";

export interface OpenIdConsent {
  readonly site: ProviderSite;
  readonly provider: OpenIdProvider;
}

export const CLIENT_SECRET = "a secret: with / and + and =%";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const marks = { kid: "client-key", alg: "RS256", use: "sig" };
const privateJwk = JSON.stringify({ ...privateKey.export({ format: "jwk" }), ...marks });
/** Part of the private key that must never be seen again. */
export const PRIVATE_PART = String(privateKey.export({ format: "jwk" }).d);

const CLIENTS: Readonly<Record<ClientKind, { record: object; registered: object }>> = {
  client_secret_basic: {
    record: { client_secret: CLIENT_SECRET },
    registered: { secret: CLIENT_SECRET },
  },
  client_secret_post: {
    record: { client_secret: CLIENT_SECRET },
    registered: { secret: CLIENT_SECRET },
  },
  private_key_jwt: {
    record: { private_key: privateJwk },
    registered: { publicJwk: { ...publicKey.export({ format: "jwk" }), ...marks } },
  },
  public: { record: {}, registered: {} },
};

export async function startProvider(options: ProviderOptions = {}): Promise<OpenIdProvider> {
  return startOpenIdProvider({
    scopes: ["a", "b"],
    accounts: { alice: { email: "alice@example.com", email_verified: true } },
    ...options,
  });
}

/** Makes a record of the issuer's address, and registers its client there. */
export async function link(
  { site, provider }: OpenIdConsent,
  { id = "idp", kind = "client_secret_basic" as ClientKind, issuer = provider.url } = {},
): Promise<ApiAnswer> {
  const { record, registered } = CLIENTS[kind];
  const created = await site.addProvider({ id, oauth2: { client_id: `client-of-${id}`, ...record, issuer } });
  if (created.status !== 201) throw new Error(created.text);
  const redirectUris = [String(at(created.body, "oauth2.redirect_uri"))];
  provider.register({ id: `client-of-${id}`, redirectUris, ...registered });
  // Offline access is given only to those who ask for consent (OpenID Connect Core section 11).
  const params = {
    response_type: "code",
    client_id: "{{client_id}}",
    redirect_uri: "{{redirect_uri}}",
    scope: "{{scopes}}",
    prompt: "consent",
  };
  return site.admin.patch(`/v1/admin/auth_providers/${id}`, { oauth2: { authorize_request: { params } } });
}

export interface AtCallback {
  readonly id: string;
  readonly browser: Browser;
  /** Where the provider has sent the browser; not yet opened. */
  readonly callback: URL;
}

/** Alice allows it all at the provider. */
export async function toCallback(
  { site, provider }: OpenIdConsent,
  user = "alice",
  record = "idp",
): Promise<AtCallback> {
  const auth_requirement = { id: record, oauth2: { scopes: SCOPES } };
  const { body } = await site.agent.post("/v1/auth/authorize", { auth_requirement, user_id: user });
  const browser = new Browser();
  const opened = await browser.open(String(at(body, "url")));
  const callback = await signInAs(provider.address, opened.headers.get("location") ?? "", user);
  return { id: String(at(body, "id")), browser, callback: new URL(callback) };
}

/** Opens a callback and says yes when asked; how the consent stands afterwards. */
export async function finish(
  { site }: OpenIdConsent,
  { id, browser, callback }: AtCallback,
): Promise<{ page: Response; state: ApiAnswer }> {
  const page = await browser.open(callback.href);
  const html = await page.clone().text();
  if (html.includes('name="check"')) await browser.answer(page, site.url, "yes");
  return { page, state: await site.agent.get(`/v1/auth/status?id=${id}`) };
}

export async function withOpenId(
  work: (consent: OpenIdConsent) => Promise<void>,
  options: ProviderOptions = {},
): Promise<void> {
  await using provider = await startProvider(options);
  await using site = await startProviderSite();
  await work({ site, provider });
}
