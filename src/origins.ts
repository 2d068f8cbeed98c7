// A sealed value (a client's secret, a token, a model's key, the credentials of a plugin) belongs to the origins that it was
// given for. They are stored next to it. `egress` sends it to no other origin, and a record whose address moves to another
// origin must get the value again in the same request.
import { type FieldError, malformedRequest } from "./errors";

/** An address that receives a sealed value, and its field in the record. */
export interface ReceivingAddress {
  field: string;
  address: string;
}

/** A sealed value of a record: its field, and whether the request contains it again. */
export interface SealedField {
  field: string;
  given: boolean;
}

/** Scheme, host and port of an http(s) address; undefined for everything else. */
export function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Whether a list of origins contains that of an address. An entry without a scheme is https. */
export function isListedOrigin(url: URL, list: readonly string[]): boolean {
  return list.some((entry) => originOf(entry.includes("://") ? entry : `https://${entry}`) === url.origin);
}

/** The origins of addresses, sorted, each once. */
export function originsOf(addresses: readonly string[]): string[] {
  const origins = addresses.map(originOf).filter((origin) => origin !== undefined);
  return [...new Set(origins)].toSorted();
}

/** The stored origins. A value that is older than this rule has none (null): it belongs to the addresses of its record. */
export function storedOrigins(column: string | null, ofRecord: readonly string[]): string[] {
  return column === null ? [...ofRecord] : (JSON.parse(column) as string[]);
}

/** The addresses that lead to an origin that is not in the list. */
export function movedAddresses(
  addresses: readonly ReceivingAddress[],
  origins: readonly string[],
): ReceivingAddress[] {
  return addresses.filter(({ address }) => !origins.includes(originOf(address) ?? ""));
}

/** Throws `malformed_request` with the fields, unless every sealed value is given again. */
export function requireGivenAgain(moved: readonly ReceivingAddress[], values: readonly SealedField[]): void {
  const absent = values.filter(({ given }) => !given).map(({ field }) => field);
  if (moved.length === 0 || absent.length === 0) return;
  const names = absent.join(" and ");
  const errors: FieldError[] = [
    ...moved.map(({ field }) => ({
      field,
      rule: "origin",
      message: `is another origin than the one that ${names} was given for`,
    })),
    ...absent.map((field) => ({
      field,
      rule: "required",
      message: "must be given again in the same request",
    })),
  ];
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  throw malformedRequest(`failed to validate request body: ${list}`, { fieldErrors: errors });
}

/** Old and new origins for the audit trail; undefined if they are the same. */
export function originChange(
  before: readonly string[],
  after: readonly string[],
): { old_origins: readonly string[]; new_origins: readonly string[] } | undefined {
  const same = before.length === after.length && before.every((origin) => after.includes(origin));
  return same ? undefined : { old_origins: before, new_origins: after };
}
