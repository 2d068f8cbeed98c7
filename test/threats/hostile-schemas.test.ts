// Schemas of a worker cannot freeze the server: neither while its catalog is read, nor while an input or a result of its tools
// is checked.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { isObject } from "../../src/base";
import { api } from "../support/api";
import { startChild } from "../support/child";
import { TEXT, Upstream } from "../support/mcp-upstream";
import { mcpWorker } from "../workers/site";
import { printFigure } from "./figure";

const MOST_MS = 250;
const QUICK_MS = MOST_MS / 5;
const ATTEMPTS = 8;

const NEGATED = `^${"[^\\p{L}]*".repeat(12)}x$`;
const NESTED = `${"(?:".repeat(140)}a?${"){2}".repeat(140)}`;

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function listOf(items: unknown): object {
  return { type: "object", properties: { list: { type: "array", items } } };
}

/** Lists inside of each other, at the bottom of which is an integer of 19 digits. */
function nestedLists(levels: number): unknown[] {
  let value: unknown[] = ["LONG"];
  for (let level = 0; level < levels; level++) value = [...many(600, () => 0), value];
  return value;
}

const TOOLS: readonly { name: string; inputSchema: object; outputSchema?: object; input: object }[] = [
  {
    name: "complement",
    inputSchema: { type: "object", properties: { t: { type: "string", pattern: NEGATED } } },
    input: { t: "1".repeat(40) },
  },
  {
    name: "complement_in_result",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { t: { type: "string", pattern: NEGATED } } },
    input: {},
  },
  {
    name: "nested",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(many(240, (index) => [`p${index}`, { pattern: NESTED }])),
    },
    input: {},
  },
  {
    name: "many_patterns",
    inputSchema: listOf({ allOf: many(400, (index) => ({ not: { pattern: `^a*a*[b-z]{${index + 1}}$` } })) }),
    input: { list: many(100, () => "a".repeat(700)) },
  },
  {
    name: "many_texts",
    inputSchema: listOf({ not: { pattern: "^a*a*a*x$" } }),
    input: { list: many(18_000, () => "a".repeat(50)) },
  },
  {
    name: "many_integers",
    inputSchema: listOf({ anyOf: many(500, (index) => ({ type: "integer", minimum: index })) }),
    input: { list: many(40_000, () => "1234567890123456789") },
  },
  {
    name: "deep_result",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { list: {} } },
    input: {},
  },
];

const RESULTS: Readonly<Record<string, string>> = {
  complement_in_result: JSON.stringify({ t: "1".repeat(40) }),
  deep_result: JSON.stringify({ list: nestedLists(800) }).replace('"LONG"', "1234567890123456789"),
};

test("GET /v1/health answers while hostile schemas are read and checked", async () => {
  const { line } = startChild(join(import.meta.dir, "site-process.ts"));
  const { url, key } = JSON.parse((await line()) ?? "");
  const admin = api(url, key);
  await using upstream = new Upstream({
    methods: {
      "tools/list": () => ({
        tools: TOOLS.map(({ name, inputSchema, outputSchema }) => ({ name, inputSchema, outputSchema })),
      }),
      "tools/call": ({ id, params }) => {
        const structured = RESULTS[String(params["name"])];
        if (structured === undefined) return TEXT("done");
        const result = `{"content":[],"structuredContent":${structured}}`;
        return new Response(`{"jsonrpc":"2.0","id":${id},"result":${result}}`, {
          headers: { "content-type": "application/json" },
        });
      },
    },
  });
  let slowest = 0;

  const read = await leastHealth(url, async (attempt) => {
    const { status } = await admin.post("/v1/workers", mcpWorker(`hostile${attempt}`, upstream.url));
    expect(status).toBe(201);
  });
  expect(["reading the catalog", read < MOST_MS]).toEqual(["reading the catalog", true]);
  slowest = Math.max(slowest, read);
  for (const { name, input } of TOOLS) {
    const health = await leastHealth(url, async () => {
      const body = { tool_name: `Hostile0.${name}`, user_id: "alice", input };
      const answer = await admin.post("/v1/tools/execute", body);
      expect([name, answer.status, isObject(answer.body)]).toEqual([name, 200, true]);
    });
    expect([name, health < MOST_MS]).toEqual([name, true]);
    slowest = Math.max(slowest, health);
  }
  printFigure("hostile schemas", `${TOOLS.length} tools: health answered within ${Math.round(slowest)} ms`);
}, 120_000);

/** The slowest answer of health during the work, in the best of several attempts: a busy machine is late without a reason. */
async function leastHealth(url: string, work: (attempt: number) => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > QUICK_MS; attempt++) {
    let running = true;
    const done = work(attempt).finally(() => (running = false));
    let slowest = 0;
    while (running) {
      const started = performance.now();
      // A server that is frozen for ever does not hold the test.
      const answer = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(10_000) });
      await answer.bytes();
      slowest = Math.max(slowest, performance.now() - started);
    }
    await done;
    least = Math.min(least, slowest);
  }
  return least;
}
