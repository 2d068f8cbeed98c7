// Slugs: the public names of gateways.
import type { Random } from "../crypto";
import { invalidParameter } from "../errors";

export const MAX_SLUG_LENGTH = 256;
const FORM = /^[a-z0-9_-]{1,256}$/;

/** Names that addresses of the server use, or may use later. */
const RESERVED: ReadonlySet<string> = new Set([
  "admin",
  "api",
  "auth",
  "authorize",
  "gateways",
  "health",
  "llm",
  "login",
  "mcp",
  "oauth",
  "slug",
  "static",
  "system",
  "tools",
  "v1",
  "well-known",
]);

/** Throws `invalid_parameter` for an invalid slug. */
export function checkSlug(slug: string): void {
  if (FORM.test(slug)) return;
  throw invalidParameter(
    "slug must be 1 to 256 lower-case letters, digits, - and _ (it is part of the address of the gateway).",
  );
}

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Candidates for the slug of a gateway without one: from its name, then with a random suffix. */
export function* slugsFor(name: string, random: Random): Generator<string> {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  if (plain !== "") yield plain;
  for (;;) {
    const suffix = Buffer.from(random(4)).toString("hex");
    yield `${plain === "" ? "gateway" : plain}-${suffix}`;
  }
}
