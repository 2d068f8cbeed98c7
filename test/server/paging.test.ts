// Every list with paging parameters against the same table.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operations } from "../../server/operations";
import { Redacted } from "../../src/base";
import { api, at } from "../support/api";
import { type Stage, startStage } from "./stage";

const CONNECTIONS = 130;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  const { connections, providers } = stage.site.runtime;
  const { provider } = await providers.choose("default", { id: "slack" });
  if (provider === undefined) throw new Error("no provider");
  const grant = {
    accessToken: new Redacted("t"),
    refreshToken: undefined,
    expiresIn: undefined,
    scopes: ["a"],
    facts: {},
  };
  // Nothing listens there: it has no tools.
  const mcp = { uri: "http://127.0.0.1:1/mcp", timeout: 1, retry: 0 };
  await api(stage.site.url, stage.keys.admin).post("/v1/workers", { id: "paged", mcp });
  for (let index = 0; index < CONNECTIONS; index++) {
    stage.clock.move(1);
    await connections.store("default", `user${index}`, provider, grant, [], function* () {});
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const read = (path: string) => api(stage.site.url, stage.keys.read).get(path);

/** Totals as they are known from elsewhere. */
const LISTS: [string, () => Promise<number> | number][] = [
  ["/v1/admin/user_connections", () => CONNECTIONS],
  ["/v1/admin/user_connections?provider_id=slack", () => CONNECTIONS],
  ["/v1/admin/user_connections?user_id=user7", () => 1],
  ["/v1/tools", async () => at((await read("/v1/tools?limit=100")).body, "total_count") as number],
];

describe.each(LISTS)("%s", (list, totalOf) => {
  const page = (query: string) => read(`${list}${list.includes("?") ? "&" : "?"}${query}`);

  test.each([
    ["", 25, 0],
    ["limit=1", 1, 0],
    ["limit=25&offset=0", 25, 0],
    ["limit=100", 100, 0],
    ["limit=101", 100, 0],
    ["limit=1000", 100, 0],
    ["limit=999999999999999", 100, 0],
    ["limit=007", 7, 0],
    ["offset=1", 25, 1],
    ["offset=120&limit=100", 100, 120],
    ["offset=100000", 25, 100_000],
    ["offset=-0", 25, 0],
    ["limit=abc&limit=3", 3, 0],
  ])("%s gives a right page", async (query, limit, offset) => {
    const total = await totalOf();
    const { status, body, text } = await page(query);
    expect({ status, text }).toEqual({ status: 200, text });
    const count = Math.max(0, Math.min(limit, total - offset));
    expect(body).toMatchObject({ total_count: total, limit, offset, page_count: count });
    expect(at(body, "items")).toHaveLength(count);
  });

  test.each([
    "limit=-1",
    "limit=0",
    "limit=-0",
    "limit=2.5",
    "limit=1e2",
    "limit=0x10",
    "limit=abc",
    "limit=",
    "limit=%20",
    "limit=+5",
    "limit=null",
    "limit=true",
    "limit=NaN",
    "limit=Infinity",
    "limit=99999999999999999999",
    "limit=9223372036854775808",
    "limit=25;DROP TABLE connections",
    "limit=3&limit=abc",
    "offset=-1",
    "offset=abc",
    "offset=",
    "offset=1.5",
    "offset=99999999999999999999",
    "offset=-99999999999999999999",
  ])("%s is 400 and names the parameter [fault: page-limit]", async (query) => {
    const { status, body, text } = await page(query);
    expect({ status, text }).toEqual({ status: 400, text });
    expect(at(body, "message")).toContain(query.slice(0, query.indexOf("=")));
    expect(text).not.toContain("DROP");
  });

  test("page after page is the whole list, each item once, in one order [fault: page-limit]", async () => {
    const total = await totalOf();
    const seen: unknown[] = [];
    for (let offset = 0; offset < total; offset += 40) {
      seen.push(...(at((await page(`limit=40&offset=${offset}`)).body, "items") as unknown[]));
    }
    expect(seen).toHaveLength(total);
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(total);
  });
});

/** Whatever the table of operations holds: a list that is added is here too. */
const LIMITED = operations.filter(
  ({ method, query }) => method === "GET" && query?.properties["limit"] !== undefined,
);
const pathOf = ({ path }: { path: string }) =>
  path.replaceAll(/\{(?:org_id|project_id)\}/g, "default").replace("workers/{id}", "workers/paged");
/** The others go on from an entry, not from a number. */
const PAGED = LIMITED.filter(({ query }) => query?.properties["offset"] !== undefined).map(pathOf);

test("lists with pages are found in the table of operations", () => {
  expect(PAGED).toEqual(expect.arrayContaining(["/v1/admin/user_connections", "/v1/tools", "/v1/hooks"]));
});

const get = (path: string, query: string) => api(stage.site.url, stage.keys.admin).get(`${path}?${query}`);

describe.each(LIMITED.map(pathOf))("every list: %s", (path) => {
  test.each(["limit=-1", "limit=0", "limit=2.5", "limit=abc", "limit=", "limit=99999999999999999999"])(
    "%s is 400",
    async (query) => expect((await get(path, query)).status).toBe(400),
  );

  test("never sends more than a hundred [fault: page-limit]", async () => {
    const { status, body } = await get(path, "limit=101");
    expect(status).toBe(200);
    const items = at(body, "items");
    expect(Array.isArray(items) && items.length <= 100).toBe(true);
  });
});

describe.each(PAGED)("every list with pages: %s", (path) => {
  test.each(["offset=-1", "offset=abc"])("%s is 400", async (query) => {
    expect((await get(path, query)).status).toBe(400);
  });

  test("limit=101 is cut to 100, in what is said and in what is sent [fault: page-limit]", async () => {
    const { status, body } = await get(path, "limit=101");
    expect([status, at(body, "limit")]).toEqual([200, 100]);
    const items = at(body, "items");
    expect(Array.isArray(items) && items.length <= 100 && items.length === at(body, "page_count")).toBe(true);
  });
});

describe("a list without paging parameters", () => {
  test.each(["/v1/admin/auth_providers", "/v1/admin/secrets"])("%s does not look at them", async (path) => {
    const whole = await read(path);
    for (const query of ["limit=-1", "limit=abc", "offset=-1", "limit=0&offset=5"]) {
      const answer = await read(`${path}?${query}`);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: whole.body });
    }
  });
});
