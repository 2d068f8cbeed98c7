// Texts of a worker's record with values in them: `${secret:NAME}` of the record, `${user.PROVIDER_ID}` the calling user's own
// key, `${user_id}` the calling user. All are filled in one pass, so a value is never read as a placeholder.
import { Redacted, reveal } from "../base";
import { basicCredentials } from "../connections";

/** The user for whom a worker is asked. */
export interface WorkerUser {
  id: string;
  /** Own keys, by the ids of their auth providers. */
  keys: Readonly<Record<string, Redacted>>;
}

export interface FillValues {
  secrets: Readonly<Record<string, string>>;
  /** Absent: no user, for catalogs. */
  user?: WorkerUser | undefined;
  /** How the user's id is written. */
  userId?: (id: string) => string;
}

const PLACEHOLDER = /\$\{(?:secret:([^{}]{0,200})|user\.([^{}]{0,200})|(user_id))\}/g;
/** Its credentials are always encoded (RFC 7617). */
const BASIC = /^Basic \$\{user\.[^{}]{0,200}\}$/i;

/** The names of the secrets that a text refers to. */
export function referredTo(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, secret]) => secret ?? []);
}

/** The auth providers whose keys a text refers to. */
export function userKeysIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, , provider]) => provider ?? []);
}

/** Each provider once, in the order of the texts. */
export function userKeysOf(texts: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(texts).flatMap(userKeysIn))];
}

/** The texts with their values. Those that name a user are left out without one. */
export function filledTexts(
  texts: Readonly<Record<string, string>>,
  { secrets, user, userId = (id) => id }: FillValues,
): Record<string, string | Redacted> {
  const filled: Record<string, string | Redacted> = {};
  for (const [name, text] of Object.entries(texts)) {
    const keys = userKeysIn(text);
    const namesUser = keys.length > 0 || text.includes("${user_id}");
    if (namesUser && (user === undefined || keys.some((id) => !Object.hasOwn(user.keys, id)))) continue;
    const value = text.replaceAll(
      PLACEHOLDER,
      (_whole, secret: string | undefined, provider: string | undefined) =>
        provider === undefined
          ? secret === undefined
            ? userId(user?.id ?? "")
            : (secrets[secret] ?? "")
          : keyIn(text, user?.keys[provider]?.reveal() ?? ""),
    );
    filled[name] = keys.length > 0 || referredTo(text).length > 0 ? new Redacted(value) : value;
  }
  return filled;
}

/** An address with the values of the secrets that it refers to, as they are. */
export function filledAddress(uri: string, secrets: FillValues["secrets"]): Redacted {
  const values = filledTexts({ uri }, { secrets });
  return new Redacted(reveal(values["uri"] ?? ""));
}

function keyIn(text: string, key: string): string {
  if (!BASIC.test(text)) return key;
  return basicCredentials(key);
}

/** Two users never have the same form, and every id is valid in a header. */
export function headerUserId(id: string): string {
  return id.replaceAll(/[^\x21-\x7e]|%/gu, (character) =>
    Buffer.from(character).reduce(
      (text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
      "",
    ),
  );
}
