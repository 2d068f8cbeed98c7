// What a browser gets that opens the address of a consent.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { hashOf, newToken, sameSecret } from "../crypto";
import type { Provider } from "../providers";
import { type Exchange, OPENED_FOR_KEY_MS, OPENED_MS, openExchange, sealExchange } from "./flow";
import type { FlowRow } from "./repository";

/** State and verifier for this browser: the stored ones if it has opened the flow before, otherwise new ones. */
export async function openingOf(
  core: Core,
  flow: FlowRow,
  { provider, browser, now }: { provider: Provider; browser: string; now: number },
) {
  const known = flow.browser_hash !== null && sameSecret(hashOf(browser), flow.browser_hash);
  const stored = known ? await openExchange(core, flow) : undefined;
  if (stored !== undefined) return { exchange: stored, opening: undefined };
  const verifier = provider.oauth2.pkce ? oauth.generateRandomCodeVerifier() : null;
  const exchange: Exchange = { state: newToken(core.random), verifier };
  const lifetime = provider.apiKey === undefined ? OPENED_MS : OPENED_FOR_KEY_MS;
  const opening = {
    browserHash: hashOf(browser),
    stateHash: hashOf(exchange.state),
    sealedExchange: await sealExchange(core, flow, exchange),
    expiresAt: flow.browser_hash === null ? Math.min(flow.expires_at, now + lifetime) : flow.expires_at,
  };
  return { exchange, opening };
}
