// Makes and changes rows of providers, with the rules of their types.
import { nearest, present } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import { malformedRequest } from "../errors";
import type { Principal } from "../identity";
import { checkApiKey } from "./api-key-rules";
import { withDiscovery } from "./discovery";
import { givenOrigins, movesAddress, type Platforms } from "./origins";
import { knownFields, newRow, patchedRow, type SealedSecrets } from "./patch";
import { oauth2Of } from "./record";
import { apiKeyOf, type ProviderRow } from "./repository";
import { checkOAuth2 } from "./rules";
import {
  type AuthProviderCreate,
  type AuthProviderPatch,
  type GivenOAuth2,
  OAuth2Create,
  type ProviderType,
  withTriggers,
} from "./schema";
import type { ClientSecrets } from "./secrets";
import { externalIdFor } from "./setup";

export class ProviderRows {
  readonly #core: Core;
  readonly #secrets: ClientSecrets;
  readonly #platforms: Platforms;

  constructor(core: Core, secrets: ClientSecrets, platforms: Platforms) {
    this.#core = core;
    this.#secrets = secrets;
    this.#platforms = platforms;
  }

  /** The row of a new provider. Throws `malformed_request` with the fields. */
  async added(
    { projectId }: Principal,
    request: AuthProviderCreate,
    worker: string | undefined,
  ): Promise<ProviderRow> {
    const type = request.type ?? "oauth2";
    requireOnly(type, request);
    const { clock, random } = this.#core;
    const { oauth2: given, id } = request;
    const { client_secret, private_key } = given ?? {};
    const oauth2 =
      given === undefined ? undefined : await this.#oauth2Of(projectId, request.provider_id, given, worker);
    if (given === undefined) this.#checkKey(request.api_key, request.provider_id);
    const externalId = request.external_id ?? (await externalIdFor(this.#core, projectId, id));
    const row: ProviderRow = {
      ...newRow(projectId, request, { oauth2, externalId, random, now: clock.now() }),
      sealed_client_secret: await this.#secrets.seal(projectId, id, "client_secret", client_secret),
      sealed_private_key: await this.#secrets.seal(projectId, id, "private_key", private_key),
    };
    return { ...row, origins: JSON.stringify(givenOrigins(row, this.#platforms)) };
  }

  /** The row after a patch. Throws `malformed_request` with the fields. */
  changed(row: ProviderRow, patch: AuthProviderPatch, sealed: SealedSecrets, now: number): ProviderRow {
    const type: ProviderType = row.api_key === null ? "oauth2" : "api_key";
    if (patch.type !== undefined && patch.type !== type)
      throw malformedRequest(`type is ${type}, which cannot be changed. Create another auth provider.`);
    refuseOther(type, patch);
    const next = patchedRow(row, patch, sealed, now);
    if (type === "api_key") this.#checkKey(apiKeyOf(next), next.provider_id ?? undefined);
    else this.#check(oauth2Of(next), next.provider_id ?? undefined);
    if (next.version === row.version) return next;
    const moved = movesAddress(row, next, patch, this.#platforms);
    return {
      ...next,
      origins: JSON.stringify(givenOrigins(next, this.#platforms)),
      origins_id: moved ? newToken(this.#core.random) : row.origins_id,
    };
  }

  async #oauth2Of(
    projectId: string,
    providerId: string | undefined,
    request: NonNullable<AuthProviderCreate["oauth2"]>,
    worker: string | undefined,
  ) {
    const { client_secret: _, private_key, ...given } = knownFields(OAuth2Create, request);
    const own = withTriggers({ ...given, ...present({ worker }) });
    const oauth2 = await withDiscovery(this.#core, projectId, own, private_key !== undefined);
    this.#check(oauth2, providerId);
    return oauth2;
  }

  #check(oauth2: GivenOAuth2, providerId: string | undefined): void {
    const { presets } = this.#platforms;
    const meant = providerId === undefined ? undefined : nearest(providerId, [...presets.keys()]);
    checkOAuth2(oauth2, providerId !== undefined && presets.has(providerId), meant);
  }

  /** A well-known provider has tools of this server, which work with tokens of its own consent only. */
  #checkKey(given: unknown, providerId: string | undefined): void {
    checkApiKey(given);
    if (providerId === undefined || !this.#platforms.presets.has(providerId)) return;
    const message = "is a well-known provider, whose users consent there; leave it out for the type api_key";
    throw malformedRequest(`failed to validate request body: provider_id ${message}`, {
      fieldErrors: [{ field: "provider_id", rule: "type", message }],
    });
  }
}

type Blocks = Pick<AuthProviderPatch, "oauth2" | "api_key">;

/** Throws `malformed_request` unless the request has the block of its type and no other. */
function requireOnly(type: ProviderType, request: AuthProviderCreate): void {
  refuseOther(type, request);
  if (request[type] !== undefined) return;
  const message =
    request.type === undefined && type === "oauth2"
      ? "is required; for users' own keys give type api_key and api_key"
      : `is required for the type ${type}`;
  throw malformedRequest(`failed to validate request body: ${type} ${message}`, {
    fieldErrors: [{ field: type, rule: "required", message }],
  });
}

function refuseOther(type: ProviderType, request: Blocks): void {
  const other = type === "oauth2" ? "api_key" : "oauth2";
  if (request[other] === undefined) return;
  const message = `has no effect on an auth provider of the type ${type}`;
  throw malformedRequest(`failed to validate request body: ${other} ${message}`, {
    fieldErrors: [{ field: other, rule: "type", message }],
  });
}
