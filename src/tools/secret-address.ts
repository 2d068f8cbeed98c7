// The address in a secret, which decides who gets users' tokens: it must be one that the catalog or the operator knows, and
// the one at which the user's token is valid.
import type { JsonObject } from "../base";
import { environmentName } from "../config";
import { originsOf } from "../origins";
import type { AddressSecret, Catalog } from "./definition";
import { fatal, type ToolError } from "./tool-error";

type Settings = Readonly<Record<string, unknown>>;

/** The address that a secret names, which may be another name of a known one. Throws `ToolError` for an unknown one. */
export function knownAddress(settings: Settings, secret: AddressSecret, url: URL): URL {
  const { name, origins, setting } = secret;
  const origin = known(secret, url.origin);
  if (origins.includes(origin)) return origin === url.origin ? url : moved(url, origin);
  if (listed(settings, secret).includes(url.origin)) return url;
  throw fatal(
    `The secret ${name} is not a known address of this platform. Set it to one of ${origins.join(", ")}. ` +
      `If another address belongs to the platform, the operator adds it to ${setting} (${environmentName(setting)}).`,
  );
}

/**
 * The error for a secret that leads to another server than the one at which the user's token is valid: neither a refresh nor
 * a new consent would help. Undefined if it is the same one, or if that cannot be known: an address that only the operator
 * knows may lead to any server.
 */
export function wrongServer(
  settings: Settings,
  { bases }: Catalog,
  secrets: Readonly<Record<string, string>>,
  facts: Readonly<JsonObject>,
): ToolError | undefined {
  for (const { secret } of Object.values(bases)) {
    if (secret?.fact === undefined) continue;
    const home = originIn(secret, facts[secret.fact]);
    const base = originIn(secret, secrets[secret.name]);
    if (home === undefined || base === undefined || home === base) continue;
    const comparable = [secret.origins, listed(settings, secret)].some(
      (list) => list.includes(home) && list.includes(base),
    );
    if (comparable) return misled(secret.name, home, base);
  }
  return undefined;
}

/** Whether the tools of a catalog may be led to a wrong server. */
export function checksServer({ bases }: Catalog): boolean {
  return Object.values(bases).some(({ secret }) => secret?.fact !== undefined);
}

function misled(name: string, home: string, base: string): ToolError {
  return fatal(
    `The user's account is at ${home}, but the secret ${name} leads to ${base}, where the user's token is not valid. An ` +
      `administrator must set ${name} to ${home}; users of several servers need a project for each. Authorizing again does ` +
      "not help.",
  );
}

/** Set by parts: a path such as `//host` would otherwise lead to another origin. */
function moved({ pathname, search }: URL, origin: string): URL {
  const url = new URL(origin);
  url.pathname = pathname;
  url.search = search;
  return url;
}

function originIn(secret: AddressSecret, address: unknown): string | undefined {
  const origin = typeof address === "string" ? URL.parse(address)?.origin : undefined;
  return origin === undefined ? undefined : known(secret, origin);
}

function known({ aliases = {} }: AddressSecret, origin: string): string {
  return Object.hasOwn(aliases, origin) ? (aliases[origin] ?? origin) : origin;
}

function listed(settings: Settings, { setting }: AddressSecret): string[] {
  const more = settings[setting];
  return originsOf(Array.isArray(more) ? more.map(String) : []);
}
