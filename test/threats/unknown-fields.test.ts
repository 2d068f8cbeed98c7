// Fields that an operation does not know are ignored: they are neither stored nor shown, because a client may mean a secret by
// one that only another version knows.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "../../server/operations";
import { isObject } from "../../src/base";
import { unknownFields } from "../../src/base/unknown-fields";
import { toCall, validRequest } from "../generated/requests";
import { startWorld, type World } from "../generated/world";
import { call } from "../support/api";
import { servedOperations } from "../support/described";
import { databaseOf, dump } from "../server/stage";
import { printFigure } from "./figure";

const NAME = "zzzz_unknown";
const CANARY = "CANARY of an unknown field";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The value with the field in each of its objects. */
function everywhere(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(everywhere);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, everywhere(inner)]);
  return { ...Object.fromEntries(fields), [NAME]: CANARY };
}

/** The body with the field in each object whose fields are fixed, and in how many. */
function withUnknown(schema: unknown, body: unknown): { body: unknown; count: number } {
  const found = unknownFields(schema, everywhere(body), 1000).filter(({ name }) => name === NAME);
  const changed = structuredClone(body);
  for (const { path } of found) {
    const holder = path.slice(0, -1).reduce((at, step) => (at as Record<string, unknown>)[step], changed);
    Object.assign(holder as object, { [NAME]: CANARY });
  }
  return { body: changed, count: found.length };
}

test("no operation stores or shows a field that it does not know", async () => {
  let fields = 0;
  for (const operation of servedOperations) {
    const request = toCall(await validRequest(world, world.own, operation), world.own.admin);
    const schema = operations.find(({ id }) => id === operation.id)?.body;
    if (schema === undefined || request.body === undefined) continue;
    const { body, count } = withUnknown(schema, request.body);
    fields += count;
    const answer = await call(world.site.url, { ...request, body });

    expect([operation.name, answer.status < 500]).toEqual([operation.name, true]);
    expect([operation.name, answer.text]).toEqual([operation.name, expect.not.stringContaining(CANARY)]);
  }
  const stored = Object.entries(dump(databaseOf(world.site))).filter(([, rows]) =>
    JSON.stringify(rows).includes(CANARY),
  );

  expect(stored.map(([table]) => table)).toEqual([]);
  expect(fields).toBeGreaterThan(30);
  printFigure("unknown fields", `${fields} fields in the bodies of ${servedOperations.length} operations`);
}, 60_000);
