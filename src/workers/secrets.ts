// The secret values of a worker, as one sealed column. They belong to the origin that they were given for.
import { type Keyring, type Place, sameSecret, sealedColumn, Unopenable } from "../crypto";
import { originOf, originsOf, type SealedField } from "../origins";
import type { WorkerRow } from "./repository";
import { STDIO_SCHEME } from "./stdio/schema";
import { WorkerFailure } from "./tool";

export interface GivenSecrets {
  /** Signs the calls of an HTTP worker. */
  secret?: string;
  client_secret?: string;
  /** Values for headers, by name. */
  secrets?: Readonly<Record<string, string>>;
}

type Key = Pick<WorkerRow, "project_id" | "id">;

/** Who gets the values: the origin of an address, or the program of the record. */
export function receiversOf(uri: string): string[] {
  return uri.startsWith(STDIO_SCHEME) ? [STDIO_SCHEME] : originsOf([uri]);
}

/** The names of the values that are set: `secret`, `client_secret`, `secrets.NAME`. */
export function namesOf({ secret, client_secret, secrets = {} }: GivenSecrets): string[] {
  return [
    ...(secret === undefined ? [] : ["secret"]),
    ...(client_secret === undefined ? [] : ["client_secret"]),
    ...Object.keys(secrets).map((name) => `secrets.${name}`),
  ];
}

/** The values with the given changes; an empty one removes a value. */
export function secretsWith(before: GivenSecrets, given: GivenSecrets): GivenSecrets {
  const { secret = before.secret, client_secret = before.client_secret } = given;
  const secrets = Object.entries({ ...before.secrets, ...given.secrets }).filter(([, value]) => value !== "");
  return {
    ...(secret === undefined || secret === "" ? {} : { secret }),
    ...(client_secret === undefined || client_secret === "" ? {} : { client_secret }),
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
  };
}

/** The stored values that stay, and whether the request contains them again. */
export function sealedFields(type: string, sealed: readonly string[], given: GivenSecrets): SealedField[] {
  const names = new Set(namesOf(given));
  const fields: Readonly<Record<string, string>> = {
    secret: "http.secret",
    client_secret: "mcp.oauth2.client_secret",
  };
  return sealed.map((name) => ({ field: fields[name] ?? `${type}.${name}`, given: names.has(name) }));
}

/** Null if there are no values. */
export async function sealSecrets(
  keyring: Keyring,
  { project_id, id }: Key,
  values: GivenSecrets,
): Promise<string | null> {
  if (namesOf(values).length === 0) return null;
  return keyring.seal(project_id, place(id), JSON.stringify(values));
}

/** Values that cannot be opened are lost and must be set again. */
export async function openOrLost(keyring: Keyring, row: WorkerRow): Promise<GivenSecrets> {
  try {
    return await openSecrets(keyring, row);
  } catch (error) {
    if (error instanceof Unopenable) return {};
    throw error;
  }
}

async function openSecrets(keyring: Keyring, row: WorkerRow): Promise<GivenSecrets> {
  if (row.sealed_secrets === null) return {};
  return JSON.parse(await keyring.open(row.project_id, place(row.id), row.sealed_secrets)) as GivenSecrets;
}

/** Throws `WorkerFailure` if the worker is not at an origin that the values were given for. */
export async function secretsForCall(keyring: Keyring, row: WorkerRow): Promise<GivenSecrets> {
  const origins = JSON.parse(row.origins) as string[];
  const receiver = row.uri.startsWith(STDIO_SCHEME) ? STDIO_SCHEME : (originOf(row.uri) ?? "");
  if (row.sealed_secrets !== null && !origins.includes(receiver))
    throw new WorkerFailure("refused", "Its secrets were given for another origin. Set them again.");
  try {
    return await openSecrets(keyring, row);
  } catch (error) {
    if (!(error instanceof Unopenable)) throw error;
    throw new WorkerFailure("refused", "Its secrets cannot be decrypted. Set them again.", { cause: error });
  }
}

/** The names of the given values that are stored with the same value. */
export async function equalSecrets(keyring: Keyring, row: WorkerRow, given: GivenSecrets): Promise<string[]> {
  const stored = flat(await openOrLost(keyring, row));
  return Object.entries(flat(given)).flatMap(([name, value]) => {
    const known = stored[name];
    return known !== undefined && sameSecret(known, value) ? [name] : [];
  });
}

function flat({ secret, client_secret, secrets = {} }: GivenSecrets): Record<string, string> {
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(client_secret === undefined ? {} : { client_secret }),
    ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secrets.${name}`, value])),
  };
}

export const sealedWorkers = [
  sealedColumn({
    table: "workers",
    kind: "workers",
    column: "sealed_secrets",
    keys: ["id"],
    place: (row) => place(String(row["id"])),
  }),
];

function place(id: string): Place {
  return { table: "workers", row: id, field: "secrets" };
}
