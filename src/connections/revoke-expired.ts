// Revokes a grant whose access token may have expired. A provider that revokes by this token refuses an expired one, so the
// grant is refreshed, and then revoked.
import type { Core } from "../core";
import type { ClientKeys, Provider } from "../providers";
import { isTemporary, type RepeatedWrites } from "../repeated-writes";
import { replaceTokens, type RevocationRow } from "./revocation-rows";
import { revokeGrant, type Revoked } from "./revoke";
import { TokenRequestError } from "./token-answer";
import { refreshTokens } from "./token-request";
import { type AccountInfo, sealTokens, type Tokens } from "./tokens";

type Grant = Tokens & AccountInfo;

interface Order {
  row: RevocationRow;
  provider: Provider;
  keys: ClientKeys;
  grant: Grant;
  writes: RepeatedWrites;
  /** Called just before each request. */
  fence: () => Promise<void>;
}

export async function revokeOrRefresh(core: Core, order: Order): Promise<Revoked> {
  const { provider, keys, grant, fence } = order;
  const result = await revokeGrant(core, provider, keys, grant, fence);
  if (result !== "refused" || !revokesByAccessToken(provider)) return result;
  const newer = await refreshed(core, order);
  if (newer === undefined) return result;
  // A refresh token can be used only once: the next attempt needs the new one.
  await keep(core, order, newer);
  return revokeGrant(core, provider, keys, newer, fence);
}

function revokesByAccessToken({ oauth2: { revoke } }: Provider): boolean {
  if (revoke === undefined) return false;
  return revoke.auth_method === "bearer_access_token" || JSON.stringify(revoke).includes("{{access_token}}");
}

/** Undefined if there are no newer tokens. A failure is logged. */
async function refreshed(core: Core, { provider, keys, grant, fence }: Order): Promise<Grant | undefined> {
  const { refreshToken, accessToken, facts } = grant;
  const template = provider.oauth2.refresh;
  if (refreshToken === undefined || template === undefined) return undefined;
  try {
    const values = { access_token: accessToken.reveal() };
    const newer = await refreshTokens(core, { provider, template, keys, refreshToken, facts, values, fence });
    return { ...grant, accessToken: newer.accessToken, refreshToken: newer.refreshToken ?? refreshToken };
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error;
    core.log.warn("a grant was not revoked: its token was not refreshed", { provider: provider.id, error });
    return undefined;
  }
}

async function keep({ keyring, store, log }: Core, { row, writes }: Order, grant: Grant): Promise<void> {
  // A grant of a consent flow is young.
  if (row.sealed_tokens === null) return;
  const { facts, userInfo } = grant;
  const info = { facts, ...(userInfo === undefined ? {} : { userInfo }) };
  const write = async (): Promise<void> => {
    const sealed = await sealTokens(keyring, row, grant, info);
    await store.write(() => replaceTokens({ id: row.id, ...sealed }), { reserved: true });
  };
  await writes
    .run("new tokens of a revocation", write, { isFinal: (error) => !isTemporary(error) })
    .catch((error: unknown) => log.warn("new tokens of a revocation could not be stored", { error }));
}
