// Token requests without a consent flow.
import { Redacted } from "../../src/base";
import { exchangeCode, type TokenGrant, TokenRequestError } from "../../src/connections";
import { refreshTokens } from "../../src/connections/token-request";
import type { Provider } from "../../src/providers";
import { deploy, type Deployment, idpRecord } from "../tools/deployment";

export const SECRET = "a+b/c:d%e= ü";
export const VERIFIER = "v".repeat(43);

/** A deployment whose provider's `token_request` (and `refresh_request`) has these additional fields. */
export async function withProvider(
  fields: object = {},
  { secret = SECRET as string | null, id = "client" } = {},
) {
  const deployment = await deploy();
  const { oauth2 } = idpRecord(deployment.idp);
  const token_request = { ...oauth2.token_request, ...fields };
  await deployment.addProvider({
    oauth2: {
      client_id: id,
      ...(secret === null ? {} : { client_secret: secret }),
      authorize_request: oauth2.authorize_request,
      token_request,
      refresh_request: token_request,
    },
  });
  deployment.idp.otherwise({ body: { access_token: "T" } });
  return deployment;
}

export async function providerOf({ runtime }: Deployment): Promise<Provider> {
  const provider = await runtime.providers.find("default", "idp");
  if (provider === undefined) throw new Error("no provider");
  return provider;
}

export async function exchange(deployment: Deployment, query = "code=C&state=S"): Promise<TokenGrant> {
  const { runtime } = deployment;
  const provider = await providerOf(deployment);
  return exchangeCode(runtime.core, provider, await runtime.providers.clientKeys(provider), {
    parameters: new URLSearchParams(query),
    state: "S",
    verifier: VERIFIER,
  });
}

export async function refresh(deployment: Deployment): Promise<TokenGrant> {
  const { runtime } = deployment;
  const provider = await providerOf(deployment);
  const template = provider.oauth2.refresh ?? provider.oauth2.token;
  const keys = await runtime.providers.clientKeys(provider);
  return refreshTokens(runtime.core, {
    provider,
    template,
    keys,
    refreshToken: new Redacted("R"),
    facts: {},
  });
}

export async function failure(work: Promise<TokenGrant>): Promise<TokenRequestError> {
  const error: unknown = await work.then(
    () => "it worked",
    (thrown: unknown) => thrown,
  );
  if (error instanceof TokenRequestError) return error;
  throw error;
}
