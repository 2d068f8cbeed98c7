// Slugs: the public names of gateways. Creation and the slug check share these rules.
import type { Random } from "../crypto";
import { invalidParameter } from "../errors";

export const LONGEST_SLUG = 256;
const FORM = /^[a-z0-9_-]{1,256}$/;

/** Words that addresses of the server, or of later versions of it, need. */
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

/** Throws `invalid_parameter` for a text that can be nobody's slug. */
export function checkSlug(slug: string): void {
  if (FORM.test(slug)) return;
  throw invalidParameter(
    "slug must be 1 to 256 lower-case letters, digits, - and _ (it stands in the address of the gateway).",
  );
}

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Slugs to try for a gateway that was given none: from its name, then with random letters behind it. */
export function* slugsFor(name: string, random: Random): Generator<string> {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  if (plain !== "") yield plain;
  for (;;) {
    const letters = Buffer.from(random(4)).toString("hex");
    yield `${plain === "" ? "gateway" : plain}-${letters}`;
  }
}
