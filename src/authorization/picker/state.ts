// The state with which a browser is sent to pick files. It is a sealed value of the provider's project and no row: the
// grant is made at the provider, so nothing here depends on its coming back once, or at all.
import type { Core } from "../../core";
import { hashOf, type Place, sameSecret } from "../../crypto";
import { RuntimeError } from "../../errors";
import type { Provider } from "../../providers";

/** A consent's state is base64url and has no dot. */
const KIND = "pick.";
const LIFETIME_MS = 10 * 60_000;

interface PickState {
  browser_hash: string;
  expires_at: number;
}

export type StateCheck = "good" | "unknown" | "expired" | "other browser";

/** Whether a state is of this kind, true or forged. */
export function isPickState(state: string): boolean {
  return state.startsWith(KIND);
}

/** A state for this provider and this browser, good for ten minutes. */
export async function newPickState(core: Core, provider: Provider, cookie: string): Promise<string> {
  const state: PickState = { browser_hash: hashOf(cookie), expires_at: core.clock.now() + LIFETIME_MS };
  const { projectId } = provider;
  return KIND + (await core.keyring.seal(projectId, placeOf(provider), JSON.stringify(state)));
}

export async function checkPickState(
  core: Core,
  provider: Provider,
  state: string,
  cookie: string | undefined,
): Promise<StateCheck> {
  const opened = await open(core, provider, state.slice(KIND.length));
  if (opened === undefined) return "unknown";
  if (cookie === undefined || !sameSecret(hashOf(cookie), opened.browser_hash)) return "other browser";
  return opened.expires_at <= core.clock.now() ? "expired" : "good";
}

// Whoever makes a state up gets the keyring's refusal; so does a state whose data key was retired meanwhile.
async function open(core: Core, provider: Provider, sealed: string): Promise<PickState | undefined> {
  try {
    return JSON.parse(await core.keyring.open(provider.projectId, placeOf(provider), sealed));
  } catch (error) {
    if (error instanceof RuntimeError && error.name === "internal_error") return undefined;
    throw error;
  }
}

function placeOf(provider: Provider): Place {
  return { table: "auth_providers", row: provider.id, field: "pick_state" };
}
