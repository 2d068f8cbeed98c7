// What was sent in confidence and must not come back: a worker that echoes a request would show tokens to models.
import type { Redacted } from "../base";

const NOTICE = "[redacted]";
/** Shorter values occur in texts by chance. */
const SHORTEST = 8;

export class Withheld {
  readonly #tokens = new Set<string>();
  readonly #secrets: Set<string>;

  /** @param secrets values that people have chosen, which may also be ordinary words. */
  constructor(secrets: readonly string[]) {
    this.#secrets = new Set(secrets);
  }

  addToken(token: Redacted): void {
    this.#tokens.add(token.reveal());
  }

  addSecret(secret: Redacted): void {
    this.#secrets.add(secret.reveal());
  }

  /** JSON text without tokens. */
  withoutTokens(json: string): string {
    return without(json, this.#tokens);
  }

  /** The JSON text of an error or of log lines, which have no use for the values of secrets. */
  withoutSecrets(json: string): string {
    return without(json, this.#secrets);
  }
}

function without(json: string, values: Iterable<string>): string {
  let left = json;
  for (const value of values) {
    if (value.length < SHORTEST) continue;
    const once = escaped(value);
    // A worker may send back the text of the call, which is JSON itself.
    for (const form of new Set([escaped(once), once])) left = left.replaceAll(form, NOTICE);
  }
  return left;
}

/** As inside a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
