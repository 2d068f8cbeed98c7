// The names of toolkits are unique in a project.
import { alreadyExists } from "../errors";
import type { Transaction } from "../store";
import * as stored from "./catalog-repository";
import { namesOf } from "./contents";
import type { WorkerDirectory } from "./directory";
import * as repository from "./repository";
import type { WorkerRow } from "./repository";

/**
 * Toolkits of HTTP workers are only known when their catalogs have been read; those that collide are left out. `builtIn`:
 * those of this server itself, in lower case. Throws `already_exists`.
 */
export function* requireFreeToolkit(
  { project_id, id, type, toolkit }: WorkerRow,
  builtIn: ReadonlySet<string>,
  directory: WorkerDirectory,
): Transaction<void> {
  if (type === "http") return;
  const name = toolkit.toLowerCase();
  if (builtIn.has(name)) throw alreadyExists(toolkitTaken(toolkit, "This server itself"));
  const owner = directory.fixedWith(name) ?? (yield* repository.withToolkit(project_id, toolkit, id));
  const others = yield* stored.catalogFactsInTransaction(project_id);
  const namer = others.find(
    (facts) =>
      facts.worker_id !== id && namesOf(facts).some(({ toolkit: kit }) => kit?.name.toLowerCase() === name),
  );
  const taker = owner ?? namer?.worker_id;
  if (taker !== undefined) throw alreadyExists(toolkitTaken(toolkit, `The worker ${taker}`));
}

function toolkitTaken(toolkit: string, owner: string): string {
  return `${owner} has a toolkit with the name ${toolkit}. Give another one in toolkit.`;
}
