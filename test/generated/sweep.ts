// Takes away what requests have made: numbers of hooks and pages of lists have an end, a run of 20,000 requests has not.
import { isObject } from "../../src/base";
import { at } from "../support/api";
import { servedOperations, successOf } from "../support/described";
import { toCall } from "./requests";
import type { Project, World } from "./world";

const has = (name: string): boolean => servedOperations.some((one) => one.name === name);

/** Collections whose records can be made, listed and deleted: path of the collection, operation that deletes. */
const COLLECTIONS = servedOperations
  .filter((one) => one.method === "POST" && successOf(one) === 201 && has(`GET ${one.path}`))
  .flatMap(({ path }) => {
    const item = servedOperations.find(
      ({ method, path: other }) => method === "DELETE" && other.replace(/\/\{\w+\}$/, "") === path,
    );
    return item === undefined ? [] : [{ path, item }];
  });

/** Ids of all records that can be made, in both projects. */
export async function standing(world: World): Promise<ReadonlySet<string>> {
  const listed = await Promise.all([world.own, world.other].map((project) => recordsOf(world, project)));
  return new Set(listed.flat().map(({ id }) => id));
}

/** Deletes every record but those that `stay`. What others still use goes in the second round. */
export async function sweep(world: World, stay: ReadonlySet<string>): Promise<void> {
  for (const project of [world.own, world.other, world.own, world.other]) {
    for (const { id, item } of await recordsOf(world, project)) {
      if (stay.has(id)) continue;
      const [, name = ""] = /\{(\w+)\}$/.exec(item.path) ?? [];
      const path = { org_id: project.organization, project_id: project.id, [name]: id };
      await world.send(
        toCall({ operation: item, path, query: {}, body: undefined, named: [] }, project.admin),
      );
    }
  }
}

async function recordsOf(world: World, project: Project) {
  const lists = COLLECTIONS.map(async ({ path, item }) => {
    const filled = path.replace("{org_id}", project.organization).replace("{project_id}", project.id);
    const { body } = await world.send({ method: "GET", path: `${filled}?limit=100`, key: project.admin });
    const items = at(body, "items");
    const ids = Array.isArray(items) ? items.flatMap((one) => (isObject(one) ? String(one["id"]) : [])) : [];
    return ids.map((id) => ({ id, item }));
  });
  return (await Promise.all(lists)).flat();
}
