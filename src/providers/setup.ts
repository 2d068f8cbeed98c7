// What an operator enters in a platform's console before the first consent.
import { isLoopback } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import { notFound } from "../errors";
import { nameOf, type ProviderPreset } from "./preset";
import { findByExternalId } from "./repository";
import type { ProviderSetup } from "./schema";

export interface SetupFacts {
  preset: ProviderPreset;
  externalId: string;
  exists: boolean;
  publicUrl: string;
  scopes: string[];
}

/**
 * The part of the redirect address of a new provider. The same for the same id, so that the address that is registered at
 * the platform first is that of the record. Only the root key makes it; it is random if another provider has it.
 */
export async function externalIdFor(
  { keyring, random, store }: Core,
  projectId: string,
  id: string,
): Promise<string> {
  const made = externalIdFrom(await keyring.prove(JSON.stringify(["external_id", projectId, id])));
  const taken = await findByExternalId(store, made);
  return taken === undefined ? made : externalIdFrom(newToken(random));
}

/** Without `-`, so that a command line cannot read it as a flag. */
function externalIdFrom(text: string): string {
  return text.replaceAll(/[-_]/g, "x").slice(0, 24);
}

/** Throws `not_found` with the ids of all presets. */
export function findPreset(presets: ReadonlyMap<string, ProviderPreset>, id: string): ProviderPreset {
  const preset = presets.get(id);
  if (preset !== undefined) return preset;
  throw notFound(`There is no well-known provider "${id}". Known: ${[...presets.keys()].join(", ")}.`);
}

/** The scopes that the tools of a well-known provider need. */
export type ScopesOf = (providerId: string) => Promise<string[]>;

/** The steps for a well-known provider, with the redirect address of this deployment. */
export function providerSetup({ preset, externalId, exists, publicUrl, scopes }: SetupFacts): ProviderSetup {
  const redirect_uri = `${publicUrl}/api/v1/oauth/${externalId}/callback`;
  const { console = "", steps = [], refusesHttp = "always" } = preset.setup ?? {};
  const { protocol, hostname } = new URL(redirect_uri);
  const loopback = isLoopback(hostname);
  const refused = protocol === "http:" && (refusesHttp === "always" || !loopback);
  const warning =
    `${nameOf(preset) ?? preset.id} refuses plain http redirect addresses: set public_url ` +
    "(RUNTIME_PUBLIC_URL) to the https address of a proxy in front of this server.";
  return {
    provider_id: preset.id,
    redirect_uri,
    external_id: externalId,
    exists,
    scopes,
    console,
    steps: [...steps],
    warnings: refused ? [warning] : [],
  };
}
