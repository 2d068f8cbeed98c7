// `__proto__` and `constructor` are keys like others: in bodies, queries, tool inputs, hook responses and applied documents
// they change no prototype, and nothing is read from them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { isObject } from "../../src/base";
import { toCall, validRequest } from "../generated/requests";
import { least } from "../generated/schema";
import { startWorld, USER, type World } from "../generated/world";
import { execute, hooked } from "../hooks/hooked";
import { servedOperations } from "../support/described";
import { api, call } from "../support/api";
import { printFigure } from "./figure";

const POISON = ['"__proto__":{"polluted":true}', '"constructor":{"prototype":{"polluted":true}}'];
const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Function.prototype];

let world: World;
const before = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype));
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** JSON text in which each object has both keys as well. */
function poisoned(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(poisoned).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${poisoned(inner)}`);
  return `{${[...POISON, ...members].join(",")}}`;
}

function expectClean(): void {
  expect(PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype))).toEqual(before);
  expect(Object({}).polluted).toBeUndefined();
}

test("every operation with both keys in each object of its body, and in its query", async () => {
  let sent = 0;
  for (const operation of servedOperations) {
    const prepared = await validRequest(world, world.own, operation);
    const request = toCall(prepared, world.own.admin);
    const query = `${request.path.includes("?") ? "&" : "?"}__proto__=polluted&constructor=polluted`;
    const { body, ...rest } = request;
    const raw = body === undefined ? {} : { raw: poisoned(body) };
    const answer = await call(world.site.url, { ...rest, path: request.path + query, ...raw });

    expect([operation.name, answer.status < 500]).toEqual([operation.name, true]);
    expect(answer.text).not.toContain("__proto__");
    sent++;
  }
  expectClean();
  printFigure("prototype pollution", `${sent} operations`);
}, 60_000);

test("every tool with both keys in its input", async () => {
  for (const { toolkit, tools } of extensions.catalogs) {
    for (const { name, input } of tools) {
      const request = { tool_name: `${toolkit.name}.${name}`, user_id: USER, input: least(input) };
      const raw = { method: "POST", path: "/v1/tools/execute", key: world.own.admin, raw: poisoned(request) };
      const answer = await call(world.site.url, raw);

      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.text).not.toContain("polluted");
    }
  }
  expectClean();
}, 60_000);

test("an applied document", async () => {
  const admin = api(world.site.url, world.own.admin);
  const { body } = await admin.get("/v1/admin/manifest");
  const path = "/v1/admin/manifest?dry_run=true";
  const answer = await call(world.site.url, {
    method: "POST",
    path,
    key: world.own.admin,
    raw: poisoned(body),
  });

  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toContain("polluted");
  expectClean();
});

test("a response of a hook", async () => {
  await using site = await hooked();
  await site.plugin();
  site.project.respond = (_asked, response) => {
    response.setHeader("content-type", "application/json");
    response.end(poisoned({ code: "OK", override: { inputs: {}, output: {}, secrets: [], headers: {} } }));
  };

  const { status } = await execute(site);

  expect(status).toBeLessThan(500);
  expectClean();
});
