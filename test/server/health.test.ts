// GET /v1/health: whether the service can work.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { breakableStore } from "../support/breakable-store";
import { type Site, startSite } from "../support/site";
import { testOnSqlite } from "../support/on-sqlite";

let broken = false;
let site: Site;
beforeEach(async () => {
  broken = false;
  site = await startSite({ parts: { openStore: breakableStore(() => broken) } });
});
afterEach(async () => {
  broken = false;
  await site[Symbol.asyncDispose]();
});

test("needs no credential, and carries the headers of every answer", async () => {
  const answer = await fetch(`${site.url}/v1/health`, {
    headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` },
  });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ healthy: true });
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-z]{20}$/);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("traceparent")).toStartWith("00-aaaa");
});

testOnSqlite("is 503 with the same headers while the database is broken", async () => {
  const headersOf = ({ headers }: Response) =>
    [...headers].filter(([name]) => !["x-request-id", "date", "content-length"].includes(name));
  const healthy = await fetch(`${site.url}/v1/health`);
  broken = true;

  const answer = await fetch(`${site.url}/v1/health`);

  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    healthy: false,
    reason: "The database cannot be used. The log has the reason.",
  });
  expect(headersOf(answer)).toEqual(headersOf(healthy));
});

test("answers a hundred at once", async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${site.url}/v1/health`)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(100);
});
