// The admin key of `runtime serve --dev`. It is stored like every key, so that the audit trail and lists have it, but it ends
// with its server. Those of killed servers, and of a server whose backup was restored, end at the next start of a server.
import type { Core } from "./core";
import { notFound, RuntimeError } from "./errors";
import type { ApiKey, Identity, Principal } from "./identity";
import { isObject } from "./base";
import { ownAnnouncement } from "./serving";
import { query, run, setFact } from "./store";

interface Fact {
  name: string;
  value: string;
}

/** Of the fact of each key: its project, and the announcement of its server. */
const PREFIX = "dev_key:";
const FIND = query<Fact>("SELECT name, value FROM facts WHERE name LIKE 'dev_key:%'");
const REMOVE = query("DELETE FROM facts WHERE name = ?");

interface Parts {
  core: Core;
  identity: Identity;
}

/** Creates the key of this server, which must have been announced. */
export async function createDevKey({ core, identity }: Parts, principal: Principal): Promise<ApiKey> {
  const server = await ownAnnouncement(core);
  if (server === undefined) throw notFound("This process has not announced a server.");
  const fact = JSON.stringify({ project: principal.projectId, server });
  return identity.createKey(principal, { name: "runtime serve --dev", role: "admin" }, (id) =>
    setFact(PREFIX + id, fact),
  );
}

/** Ends the keys whose server does not run. Returns how many. */
export async function endDevKeys(
  { core, identity }: Parts,
  isRunning: (announcement: string) => Promise<boolean>,
): Promise<number> {
  let ended = 0;
  for (const { name, value } of await core.store.all(FIND)) {
    const key: unknown = JSON.parse(value);
    if (!isObject(key) || (await isRunning(String(key["server"])))) continue;
    await endKey(identity, String(key["project"]), name.slice(PREFIX.length));
    await core.store.write(() => run(REMOVE, name));
    ended += 1;
  }
  return ended;
}

/** Does nothing if somebody has deleted the key or its project. */
async function endKey(identity: Identity, projectId: string, id: string): Promise<void> {
  try {
    await identity.deleteKey(await identity.operator(projectId), id);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status !== 404) throw error;
  }
}
