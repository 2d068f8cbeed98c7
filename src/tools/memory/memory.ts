// The memory of a run: what its catalog remembers of the project, of the user's connection, and of the account.
import { isFresh, type Json } from "../../base";
import type { Core } from "../../core";
import { hashOf } from "../../crypto";
import type { MemoryKind, Remembered, ToolMemory } from "./kinds";
import { packed, unpacked } from "./packing";
import * as repository from "./repository";

/** Whose memory a run may use. */
export interface MemoryOwner {
  projectId: string;
  connectionId: string;
  /** Of the connection's tokens: different tokens may see different data. */
  version: number;
  toolkit: string;
  /** The client and the account at the platform; undefined if the account is not known. */
  account: readonly [clientId: string, account: string] | undefined;
}

/** @param owner read for each use: a run may renew its token */
export function toolMemory(core: Core, owner: () => MemoryOwner): ToolMemory {
  return {
    read: (kind, name, from = 0) =>
      unlessItFails(core, [], () => read(core, rowOf(owner(), kind, name, from))),
    write: (kind, name, part, value, keptMs, since) =>
      unlessItFails(core, false, () =>
        write(core, rowOf(owner(), kind, name, part), { value, keptMs, since }),
      ),
    forget: (kind, name) =>
      unlessItFails(core, undefined, async () => {
        const { token_version, ...owned } = rowOf(owner(), kind, name, 0);
        await core.store.write(() => repository.forgetMemory(owned, token_version));
      }),
  };
}

type Key = ReturnType<typeof rowOf>;

/** What the account shares belongs to the project too: a project never learns or ends what another one remembers. */
function rowOf(
  { projectId, connectionId, version, toolkit, account }: MemoryOwner,
  kind: MemoryKind,
  name: string,
  part: number,
) {
  const thing = { project_id: projectId, kind: `${toolkit}.${kind.name}`, name, part };
  return kind.of === "account" && account !== undefined
    ? { ...thing, owner: hashOf(JSON.stringify(account)), connection_id: null, token_version: 0 }
    : { ...thing, owner: connectionId, connection_id: connectionId, token_version: version };
}

async function read(core: Core, key: Key): Promise<Remembered[]> {
  const rows = await repository.findMemory(core.store, key);
  const latest = Math.max(...rows.map(({ stored_at }) => stored_at));
  const keptMs = rows.find(({ stored_at }) => stored_at === latest)?.kept_ms ?? 0;
  if (!isFresh(latest, keptMs, core.clock.now())) return [];
  return Promise.all(
    rows.map(async ({ part, stored_at: storedAt, sealed_value }) => {
      const place = repository.placeOfMemory({ ...key, part });
      const value = unpacked(await core.keyring.open(key.project_id, place, sealed_value));
      return { part, value, storedAt };
    }),
  );
}

interface Written {
  value: Json;
  keptMs: number;
  since: number | undefined;
}

async function write(core: Core, key: Key, { value, keptMs, since }: Written): Promise<boolean> {
  const place = repository.placeOfMemory(key);
  const sealed_value = await core.keyring.seal(key.project_id, place, packed(value));
  const stored_at = Math.floor(core.clock.now());
  const kept_ms = Math.ceil(keptMs);
  const row = { ...key, stored_at, kept_ms, bytes: sealed_value.length, sealed_value };
  return core.store.write(() => repository.putMemory(row, since));
}

/** A tool works without its memory: the connection may have been deleted meanwhile, or the disk may be full. */
async function unlessItFails<T>(core: Core, otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    core.log.debug("a tool's memory is not available", { error });
    return otherwise;
  }
}
