// Placeholders in the environment of a program: `${secret:NAME}`, `${user.PROVIDER}`, `${user_id}`, `${home}`.
import { Redacted, reveal } from "../../base";

const PLACEHOLDER = /\$\{(?:secret:([^{}]{0,200})|user\.([^{}]{1,200})|(user_id)|(home))\}/g;

/** What a text refers to besides the folder of the process: `secret:NAME`, `user.PROVIDER`, `user_id`. */
export function namesInText(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)]
    .map(([whole]) => whole.slice(2, -1))
    .filter((name) => name !== "home");
}

/** Values for placeholders. */
export interface ProcessValues {
  secrets: Readonly<Record<string, string>>;
  /** The user's own keys, by provider. */
  userKeys: Readonly<Record<string, Redacted>>;
  /** Empty: no user, as for reading the catalog. */
  userId: string;
  home: string;
}

/** The text with its values. What is not known is left out: the program then says what it lacks. */
export function filled(text: string, { secrets, userKeys, userId, home }: ProcessValues): string | Redacted {
  const value = text.replaceAll(
    PLACEHOLDER,
    (_whole, secret: string | undefined, provider: string | undefined, user: string | undefined) => {
      if (secret !== undefined) return Object.hasOwn(secrets, secret) ? (secrets[secret] ?? "") : "";
      if (provider !== undefined) {
        const key = Object.hasOwn(userKeys, provider) ? userKeys[provider] : undefined;
        return key === undefined ? "" : reveal(key);
      }
      return user === undefined ? home : userId;
    },
  );
  const isSecret = namesInText(text).some((name) => name !== "user_id");
  return isSecret ? new Redacted(value) : value;
}
