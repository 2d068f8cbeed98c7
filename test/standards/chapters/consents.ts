// Proofs about consents at the scripted provider.
import { expect } from "bun:test";
import { recordOf } from "../../authorization/providers/record";
import type { Script } from "../../authorization/providers/site";
import { at } from "../../support/api";
import type { Proof } from "../ledger";
import type { Consent, Provider } from "../provider";

type Changes = Record<string, unknown>;

export function completes(script: Script, changes?: Changes, look?: (consent: Consent) => unknown): Proof {
  return async (world) => {
    const consent = await (await world.provider()).consent(script, changes);
    expect([consent.status, consent.reason]).toEqual(["completed", ""]);
    await look?.(consent);
  };
}

/** The consent fails, and the reason has this text. */
export function fails(
  script: Script,
  reason: string,
  changes?: Changes,
  look?: (consent: Consent) => unknown,
): Proof {
  return async (world) => {
    const consent = await (await world.provider()).consent(script, changes);
    expect([consent.status, consent.reason]).toEqual(["failed", expect.stringContaining(reason)]);
    await look?.(consent);
  };
}

/** A record with this field is refused. */
export function refusesRecord(changes: Changes, reason: string): Proof {
  return async (world) => {
    const provider = await world.provider();
    const record = recordOf(provider.url, { record: { id: "refused" }, oauth2: changes });
    const { status, text } = await provider.site.addProvider(record);
    expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
  };
}

/** Consents, waits two hours, and executes, which refreshes. */
export function rotates(look: (consent: Consent, provider: Provider) => unknown, more: object = {}): Proof {
  return async (world) => {
    const provider = await world.movable();
    const refresh = { body: { access_token: "T2", expires_in: 3600, token_type: "Bearer", ...more } };
    const consent = await provider.consent({ refresh });
    provider.site.deployment.clock.move(2 * 3_600_000);
    const { status, text } = await provider.site.execute(provider.lastUser);
    expect(status, text).toBe(200);
    expect(provider.site.sent("refresh")).toHaveLength(1);
    await look(consent, provider);
  };
}

/** Deletes the connection of the last consent, and looks at what the provider was sent. */
export function revokes(look: (provider: Provider) => unknown, changes: Changes, script: Script = {}): Proof {
  return async (world) => {
    const provider = await world.provider();
    const { site } = provider;
    await provider.consent({ revoke: { body: {} }, ...script }, changes);
    const list = at(
      (await site.admin.get(`/v1/admin/user_connections?user_id=${provider.lastUser}`)).body,
      "items.0.id",
    );
    const { status } = await site.admin.delete(`/v1/admin/user_connections/${String(list)}`);
    expect(status).toBe(204);
    await look(provider);
  };
}
