// A deployment whose users come from the certified provider.
import { openSqlite, type SqliteOptions, type Store } from "../../../src/store";
import { api } from "../../support/api";
import { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";
import { MovableClock } from "../../tools/deployment";
import { type OpenIdProvider, type ProviderOptions, startOpenIdProvider } from "./provider";

export interface OpenIdSite extends AsyncDisposable {
  readonly site: Site;
  readonly provider: OpenIdProvider;
  readonly clock: MovableClock;
  /** Audience of the project `default`. */
  readonly audience: string;
}

export interface OpenIdSiteOptions extends ProviderOptions {
  environment?: Record<string, string>;
  /** `auth.url`, if it is not the provider's address; `undefined`: not set. */
  authUrl?: (provider: OpenIdProvider) => string | undefined;
  openStore?: (options: SqliteOptions) => Store;
}

/** With the chat provider, without a public URL, so that it is the address of the server. */
export async function startOpenIdSite(options: OpenIdSiteOptions = {}): Promise<OpenIdSite> {
  const provider = await startOpenIdProvider(options);
  const clock = new MovableClock();
  const authUrl = (options.authUrl ?? (({ address }) => address))(provider);
  const site = await startSite({
    parts: { clock, openStore: options.openStore ?? openWithoutSyncs },
    environment: { ...(authUrl === undefined ? {} : { RUNTIME_AUTH_URL: authUrl }), ...options.environment },
  });
  await site.addChatProvider();
  return {
    site,
    provider,
    clock,
    audience: site.url,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

// No test here cuts the power: without syncs a test takes a third of the time.
function openWithoutSyncs(options: SqliteOptions): Store {
  return openSqlite({ ...options, durability: "normal" });
}

/** The project `other`, with an audience of its own and the chat provider. */
export async function addOther({ site }: OpenIdSite, audience = "https://other.example"): Promise<string> {
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.identity.createProject(operator, "other", "Other", undefined, audience);
  await site.addChatProvider("other");
  return audience;
}

/** The user links the account of a person (by default with the same name), requested by an agent with an API key. */
export async function linkChat(
  site: Site,
  user: string,
  project = "default",
  person = user,
): Promise<string> {
  const agent = api(site.url, await site.key("run", undefined, project));
  const { body } = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: user });
  const { id, url } = body as { id: string; url: string };
  await new Browser().consent(url, person);
  return id;
}

/** Browsers must sign in at the provider before a consent is accepted. `secret: null`: as a public client. */
export async function startSignInSite(
  options: OpenIdSiteOptions & { secret?: string | null } = {},
): Promise<OpenIdSite> {
  const secret = options.secret === undefined ? "a secret: with / and +" : options.secret;
  const deployment = await startOpenIdSite({
    ...options,
    environment: {
      RUNTIME_AUTH_CLIENT_ID: "runtime",
      ...(secret === null ? {} : { RUNTIME_AUTH_CLIENT_SECRET: secret }),
      ...options.environment,
    },
  });
  deployment.provider.register({
    id: "runtime",
    ...(secret === null ? {} : { secret }),
    redirectUris: [`${deployment.site.url}/api/v1/auth/callback`, `${deployment.site.url}/sign-in/callback`],
  });
  return deployment;
}
