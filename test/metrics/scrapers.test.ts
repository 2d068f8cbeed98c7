// Scrapers that are slow, gone, or many change nothing for other requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { api } from "../support/api";
import { type Site, startSite } from "../support/site";
import { scrape, valueOf } from "./page";

const OPEN_ACCEPT = "application/openmetrics-text;version=1.0.0";
const READS = 'runtime_database_read_duration_seconds_count{database="main"}';

let site: Site;
let listener: string;
let key: string;
beforeAll(async () => {
  site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "127.0.0.1:0" } });
  listener = new URL(
    String(JSON.parse(site.logLines.find((line) => line.includes("serving metrics")) ?? "{}").address),
  ).origin;
  key = await site.key("run");
  // A page that no buffer of a socket holds.
  const { telemetry } = site.runtime.core;
  for (let project = 0; project < 4; project++)
    for (let tool = 0; tool < 250; tool++) {
      const toolkit = `Toolkit${tool}${"x".repeat(150)}`;
      const start = { toolkit, tool: "Run", entry: "api", project: `p${project}`, executionId: "" } as const;
      telemetry.begin("tool", start).end({ outcome: "completed" });
    }
});
afterAll(() => site[Symbol.asyncDispose]());

const answered = async (): Promise<number> => (await api(site.url, key).get("/v1/tools?limit=1")).status;

/** Asks for the page and reads a byte of it; then one more whenever `more` is called. */
async function slowScraper(): Promise<{ socket: Socket; more(): void }> {
  const { hostname, port } = new URL(listener);
  // Reads no more than it is asked for.
  const options = { host: hostname, port: Number(port), highWaterMark: 1 };
  const socket = connect(options);
  const begun = Promise.withResolvers<void>();
  socket.once("readable", () => begun.resolve());
  socket.once("error", begun.reject);
  socket.write("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await begun.promise;
  return { socket, more: () => void socket.read(1) };
}

test("scrapers that read byte by byte delay no request and no other scraper", async () => {
  const slow = await Promise.all(Array.from({ length: 10 }, slowScraper));
  try {
    for (let round = 0; round < 10; round++) {
      for (const each of slow) each.more();
      expect(await answered()).toBe(200);
      const { text } = await scrape(listener, undefined, OPEN_ACCEPT);
      expect(text.length).toBeGreaterThan(1_000_000);
      expect(text).toEndWith("# EOF\n");
    }
    expect(slow.map(({ socket }) => socket.readableEnded)).toEqual(slow.map(() => false));
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test("scrapers that hang up in the middle leave nothing behind", async () => {
  for (let each = 0; each < 20; each++) {
    const { socket, more } = await slowScraper();
    more();
    socket.destroy();
  }

  expect(await answered()).toBe(200);
  expect((await scrape(listener)).status).toBe(200);
});

test("50 scrapers at the same time get whole pages, and share what is read of the database", async () => {
  const before = valueOf((await scrape(listener)).text, READS) ?? 0;

  const pages = await Promise.all(Array.from({ length: 50 }, () => scrape(listener, undefined, OPEN_ACCEPT)));

  expect(pages.filter(({ text }) => text.endsWith("# EOF\n"))).toHaveLength(50);
  const after = valueOf((await scrape(listener)).text, READS) ?? 0;
  // A page takes about eight reads; the time for which they are shared may end in between.
  expect(after - before).toBeLessThan(50);
}, 30_000);
