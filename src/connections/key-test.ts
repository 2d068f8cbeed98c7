// A user's own key: what it may look like, and the request that shows whether the service accepts it.
import { Redacted } from "../base";
import type { Core } from "../core";
import { EgressError } from "../egress";
import type { ApiKeyConfig, Provider } from "../providers";

/** `unknown`: the record has no test, or the service gave no answer about the key. */
export type KeyVerdict = "accepted" | "refused" | "unknown";

export interface KeyTest {
  verdict: KeyVerdict;
  /** Why it is unknown, for the log. */
  reason?: string;
}

/** Enough for every kind of key that is not a certificate. */
export const MOST_KEY_CHARACTERS = 4000;
/** A person waits for it. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_000_000;
/** The service does not say anything about the key. */
const NOT_ABOUT_KEYS = new Set([404, 405, 406, 408, 410, 411, 413, 414, 415, 421, 425, 429]);

/** The key without what came along when it was copied; undefined if it cannot be one: headers hold visible ASCII. */
export function keyFrom(text: string): string | undefined {
  const key = text.trim();
  return /^[\x20-\x7e]+$/.test(key) && key.length <= MOST_KEY_CHARACTERS ? key : undefined;
}

/** Asks the service whether it accepts a key. */
export async function testKey(core: Core, provider: Provider, key: Redacted): Promise<KeyTest> {
  const config = provider.apiKey;
  if (config?.test === undefined) return { verdict: "unknown", reason: "no test" };
  const { method = "GET" } = config.test;
  const { url, headers } = withKey(config, config.test.url, key);
  try {
    const { status } = await core.egress.fetch(url, {
      group: "auth_provider",
      method,
      headers: { accept: "application/json, */*;q=0.5", ...headers },
      project: provider.projectId,
      secretsFor: provider.origins,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
    });
    return verdictOf(status, config.test.expect_status);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // The service has answered, with more than is read of it.
    return { verdict: "unknown", reason: error.message };
  }
}

function verdictOf(status: number, expected: number | undefined): KeyTest {
  const isGood = expected === undefined ? status >= 200 && status < 300 : status === expected;
  if (isGood) return { verdict: "accepted" };
  const isRefusal = status >= 400 && status < 500 && !NOT_ABOUT_KEYS.has(status);
  if (isRefusal) return { verdict: "refused" };
  return { verdict: "unknown", reason: `the test request was answered with status ${status}` };
}

/** The place of the key in a request. */
function withKey(
  { location, name = "Authorization", prefix = "" }: ApiKeyConfig,
  address: string,
  key: Redacted,
): { url: URL; headers: Record<string, Redacted> } {
  const url = new URL(address);
  const value = `${prefix}${key.reveal()}`;
  switch (location) {
    case "header":
      return { url, headers: { [name]: new Redacted(value) } };
    case "cookie":
      return { url, headers: { cookie: new Redacted(`${name}=${value}`) } };
    case "basic":
      return { url, headers: { authorization: new Redacted(`Basic ${basicCredentials(key.reveal())}`) } };
    case "query":
      url.searchParams.set(name, value);
      return { url, headers: {} };
  }
}

/** `user:password`; a key without a colon is a user name with an empty password (RFC 7617). */
export function basicCredentials(key: string): string {
  return Buffer.from(key.includes(":") ? key : `${key}:`).toString("base64");
}
