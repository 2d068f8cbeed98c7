// What a browser was sent away with, sealed in its flow until it comes back.
import type { Core } from "../core";
import { placeOf } from "./flow";
import type { FlowRow } from "./repository";

export interface Exchange {
  state: string;
  /** PKCE (RFC 7636); null where the provider takes none. */
  verifier: string | null;
  /** Only when the browser signs in at our own OpenID provider. */
  nonce?: string;
}

export function sealExchange(core: Core, flow: FlowRow, exchange: Exchange): Promise<string> {
  return core.keyring.seal(flow.project_id, placeOf(flow.id, "exchange"), JSON.stringify(exchange));
}

export async function openExchange(core: Core, flow: FlowRow): Promise<Exchange | undefined> {
  if (flow.sealed_exchange === null) return undefined;
  return JSON.parse(
    await core.keyring.open(flow.project_id, placeOf(flow.id, "exchange"), flow.sealed_exchange),
  );
}
