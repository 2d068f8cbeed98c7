// A sign-in that has begun at the OpenID provider. Nothing is stored, so that a flood of them costs nothing: all of it is sealed
// into the `state`, for the browser that began it.
import { isObject } from "../base";
import type { Core } from "../core";
import { hashOf, newToken, Unopenable } from "../crypto";
import { DEFAULT_ID } from "../identity";

const LIFETIME_MS = 10 * 60_000;

export interface Started {
  projectId: string;
  /** Where the browser goes afterwards. */
  to: string;
  /** PKCE (RFC 7636). */
  verifier: string;
  nonce: string;
  expiresAt: number;
}

/** `browser`: the secret in a cookie of the browser. Returns the state (RFC 6749, section 4.1.1). */
export async function sealStarted(
  { keyring, clock, random }: Core,
  browser: string,
  started: Pick<Started, "projectId" | "to" | "verifier">,
): Promise<{ state: string; nonce: string }> {
  const nonce = newToken(random);
  const whole: Started = { ...started, nonce, expiresAt: clock.now() + LIFETIME_MS };
  return { state: await keyring.seal(DEFAULT_ID, placeOf(browser), JSON.stringify(whole)), nonce };
}

/** Undefined unless this browser has begun it, a short time ago. */
export async function openStarted(
  { keyring, clock }: Core,
  browser: string,
  state: string,
): Promise<Started | undefined> {
  let text: string;
  try {
    text = await keyring.open(DEFAULT_ID, placeOf(browser), state);
  } catch (error) {
    if (error instanceof Unopenable) return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  // Sealed by `sealStarted` only.
  const started = isObject(value) ? (value as unknown as Started) : undefined;
  return started !== undefined && clock.now() < started.expiresAt ? started : undefined;
}

function placeOf(browser: string) {
  return { table: "sign_in", row: hashOf(browser), field: "state" };
}
