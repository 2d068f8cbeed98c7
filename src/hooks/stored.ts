// The stored form of a plugin: its configuration as JSON, and its credentials as one sealed value.
import { present } from "../base";
import { type Keyring, type Place, sameSecret, sealedColumn, Unopenable } from "../crypto";
import type { PluginRow } from "./repository";
import type { PatchPlugin, Point, Retry } from "./schema";
import { POINTS } from "./terms";

export interface Endpoint {
  url: string;
  timeout_ms?: number;
  cache_enabled?: boolean;
  cache_ttl_ms?: number;
}

export type AuthType = "bearer" | "mtls" | "none";

export interface Webhook {
  endpoints: { [P in Point]?: Endpoint };
  auth: { type: AuthType; ca_cert?: string };
  health_check_path?: string;
  /** The names of the credentials that are set. */
  sealed: (keyof Credentials)[];
}

/** Never shown. */
export interface Credentials {
  token?: string;
  client_cert?: string;
  client_key?: string;
  signing_secret?: string;
}

/** With the signing secret that was replaced last: receivers need time to change theirs. */
export interface StoredCredentials extends Credentials {
  former?: { signing_secret: string; until: number };
}

/** How long a replaced signing secret signs as well. */
const OVERLAP_MS = 24 * 3_600_000;

export const RETRY_DEFAULTS = {
  enabled: false,
  max_attempts: 3,
  backoff: "exponential",
  base_delay_ms: 100,
  retry_on: ["5xx", "timeout", "connection_error"],
} satisfies EffectiveRetry;

export type EffectiveRetry = Required<Retry>;

/** The column, with the names of the credentials that are sealed next to it. */
export function webhookText(webhook: Webhook, credentials: StoredCredentials): string {
  return JSON.stringify({ ...webhook, sealed: namesOf(credentials) });
}

/** The configuration of a row. */
export function webhookOf(row: PluginRow): Webhook {
  return JSON.parse(row.webhook);
}

/** The settings with the given changes. */
export function retryWith(before: EffectiveRetry, given: Retry = {}): EffectiveRetry {
  const { enabled, max_attempts, backoff, base_delay_ms, retry_on } = given;
  return { ...before, ...present({ enabled, max_attempts, backoff, base_delay_ms, retry_on }) };
}

export function retryOf(row: PluginRow): EffectiveRetry {
  return JSON.parse(row.retry);
}

type Given = NonNullable<PatchPlugin["webhook_config"]>;

/** The configuration with the given changes, without the fields of hooks. */
export function webhookWith(before: Webhook, given: Given): Webhook {
  const endpoints = { ...before.endpoints };
  for (const point of POINTS) {
    const endpoint = given.endpoints?.[point];
    if (endpoint === undefined) continue;
    const { url, timeout_ms, cache_enabled, cache_ttl_ms } = endpoint;
    const merged = { ...endpoints[point], ...present({ url, timeout_ms, cache_enabled, cache_ttl_ms }) };
    endpoints[point] = { url: "", ...merged };
  }
  const { type, ca_cert } = given.auth ?? {};
  return {
    endpoints,
    auth: { ...before.auth, ...present({ ca_cert }), type: type ?? typeFor(before.auth.type, given.auth) },
    ...present({ health_check_path: given.health_check_path ?? before.health_check_path }),
    sealed: before.sealed,
  };
}

// Setting a token or certificate implies the authentication type.
function typeFor(before: AuthType, auth: Given["auth"]): AuthType {
  if (auth?.token !== undefined) return "bearer";
  return auth?.client_cert === undefined ? before : "mtls";
}

/**
 * The credentials with the given changes. `now`: when a signing secret is replaced. `moves`: the endpoints move to another
 * origin, which gets nothing of the former secret.
 */
export function credentialsWith(
  { former, ...before }: StoredCredentials,
  given: Given,
  { now, moves }: { now: number; moves: boolean },
): StoredCredentials {
  const { token, client_cert, client_key } = given.auth ?? {};
  const { signing_secret } = given;
  const replaced = signing_secret === undefined ? undefined : before.signing_secret;
  const kept =
    replaced === undefined || replaced === signing_secret
      ? former
      : { signing_secret: replaced, until: now + OVERLAP_MS };
  return {
    ...before,
    ...present({ token, client_cert, client_key, signing_secret }),
    ...(moves || kept === undefined || kept.until <= now ? {} : { former: kept }),
  };
}

/** The names of the credentials that are set. */
export function namesOf(credentials: Credentials): (keyof Credentials)[] {
  return (["token", "client_cert", "client_key", "signing_secret"] as const).filter(
    (name) => credentials[name] !== undefined,
  );
}

/** Null if there are no credentials. */
export async function sealCredentials(
  keyring: Keyring,
  { id, project_id }: Pick<PluginRow, "id" | "project_id">,
  credentials: StoredCredentials,
): Promise<string | null> {
  if (Object.keys(credentials).length === 0) return null;
  return keyring.seal(project_id, place(id), JSON.stringify(credentials));
}

export async function openCredentials(keyring: Keyring, row: PluginRow): Promise<StoredCredentials> {
  if (row.sealed_credentials === null) return {};
  return JSON.parse(await keyring.open(row.project_id, place(row.id), row.sealed_credentials));
}

/** The names of the given credentials that are stored with the same value. */
export async function equalCredentials(
  keyring: Keyring,
  row: PluginRow,
  given: Credentials,
): Promise<(keyof Credentials)[]> {
  const stored = await openCredentials(keyring, row).catch((error: unknown): Credentials => {
    if (error instanceof Unopenable) return {};
    throw error;
  });
  return (["token", "client_cert", "client_key", "signing_secret"] as const).filter((name) => {
    const [known, wanted] = [stored[name], given[name]];
    return known !== undefined && wanted !== undefined && sameSecret(known, wanted);
  });
}

export const sealedPlugins = [
  sealedColumn({
    table: "plugins",
    kind: "hooks",
    column: "sealed_credentials",
    keys: ["id"],
    place: (row) => place(String(row["id"])),
  }),
];

function place(id: string): Place {
  return { table: "plugins", row: id, field: "credentials" };
}
