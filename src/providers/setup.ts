// What an operator enters in a platform's console before the first consent.
import { isLoopback } from "../base";
import { newToken, type Random } from "../crypto";
import { notFound } from "../errors";
import { nameOf, type ProviderPreset } from "./preset";
import type { ProviderSetup } from "./schema";

export interface SetupFacts {
  preset: ProviderPreset;
  externalId: string;
  exists: boolean;
  publicUrl: string;
  scopes: string[];
}

/** The random part of a redirect address. It has no `-`, so that a command line cannot read it as a flag. */
export function newExternalId(random: Random): string {
  return newToken(random).replaceAll(/[-_]/g, "x").slice(0, 24);
}

/** Throws `not_found` with the ids of all presets. */
export function findPreset(presets: ReadonlyMap<string, ProviderPreset>, id: string): ProviderPreset {
  const preset = presets.get(id);
  if (preset !== undefined) return preset;
  throw notFound(`There is no well-known provider "${id}". Known: ${[...presets.keys()].join(", ")}.`);
}

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
