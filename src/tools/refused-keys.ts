// Refusals of calls with users' own keys. Where the auth provider has a test, it tells a refused key from a refused call.
import { type Connections, testKey } from "../connections";
import type { Core } from "../core";
import type { Provider } from "../providers";
import type { Ready, UserKey } from "./readiness";
import { GrantDead, KeysRefused, ToolError } from "./tool-error";

const REASON = "the service no longer accepts the key";

export interface Refusal {
  error: ToolError;
  /** Whose key the user must give again. */
  provider: Provider | undefined;
}

export class RefusedKeys {
  readonly #core: Core;
  readonly #connections: Connections;

  constructor(core: Core, connections: Connections) {
    this.#core = core;
    this.#connections = connections;
  }

  /** Undefined for every other failure. Ends the connections whose keys are refused. */
  async of(ready: Ready, failure: ToolError): Promise<Refusal | undefined> {
    const used = usedKeys(ready, failure);
    if (used.length === 0) return undefined;
    const tested = await Promise.all(
      used.map(async (key) => ({ key, ...(await testKey(this.#core, key.provider, key.grant.token)) })),
    );
    // Without a test, a refusal can only mean the key if there is just one.
    const isOnly = used.length === 1 && used[0]?.provider.apiKey?.test === undefined;
    const dead = tested.filter(({ verdict }) => verdict === "refused" || isOnly).map(({ key }) => key);
    for (const { grant } of dead) await this.#connections.markDead(ready.projectId, grant, REASON);
    const [first] = dead;
    if (first !== undefined) return { error: refusedKey(failure, first), provider: first.provider };
    const isGood = tested.every(({ verdict }) => verdict === "accepted");
    return { error: isGood ? refusedCall(failure, used) : unclear(failure, used), provider: undefined };
  }
}

function usedKeys({ keys, grant, authorization }: Ready, failure: ToolError): readonly UserKey[] {
  if (failure instanceof KeysRefused) return keys;
  const provider = authorization?.provider;
  const isKey = failure instanceof GrantDead && provider?.apiKey !== undefined && grant !== undefined;
  return isKey ? [{ provider, grant }] : [];
}

function refusedKey(cause: ToolError, { provider }: UserKey): ToolError {
  return failed(
    cause,
    `The user's key for ${nameOf(provider)} was refused: authorization required. ` +
      "The user gives another key at the url.",
  );
}

function refusedCall(cause: ToolError, keys: readonly UserKey[]): ToolError {
  return failed(
    cause,
    `The call was refused (401), although the user's key for ${namesOf(keys)} is valid: it may not allow this call.`,
  );
}

function unclear(cause: ToolError, keys: readonly UserKey[]): ToolError {
  return failed(
    cause,
    `The call was refused (401), and it is not known whether the user's key for ${namesOf(keys)} is still valid. ` +
      "To give another one, its connection is deleted first: runtime connections list",
  );
}

function failed(cause: ToolError, message: string): ToolError {
  return new ToolError("UPSTREAM_RUNTIME_AUTH_ERROR", false, message, { ...cause.details, cause });
}

function namesOf(keys: readonly UserKey[]): string {
  return keys.map(({ provider }) => nameOf(provider)).join(" and ");
}

function nameOf({ name, id }: Provider): string {
  return name ?? id;
}
