// Results of HTTP workers by every entry point.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { EntryPoints } from "../../hooks/entry-points";
import { httpWorker } from "../site";
import { answered, definition, standIn } from "./stand-in";

const entries = new EntryPoints();
beforeAll(async () => {
  await entries.start();
  entries.parts.peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
});
afterAll(() => entries[Symbol.asyncDispose]());

/** Clients of gateways and models get a name of at most 64 characters. */
const NAMED_BY_MODEL = /MCP|chat|responses/;
const FILE = "https://files.example/report.pdf";
const artifact = { url: FILE, content_type: "application/pdf", size: 17, meta: { description: "Q3" } };

test.each(Object.keys(entries.ways))("an artifact arrives by %s", async (way) => {
  const { chat, operator } = entries.parts;
  const name = `Files${Bun.hash(way).toString(36)}`;
  const tool = definition({ toolkit: { name, version: "1.0.0" } });
  const { uri } = standIn((arrived) =>
    arrived.path.endsWith("/invoke")
      ? answered(arrived, { artifact, value: null, error: null })
      : Response.json([tool]),
  );
  await chat.site.runtime.workers.create(operator, httpWorker(name.toLowerCase(), uri));

  const told = await entries.ways[way]?.run(`${name}.Act`, {});

  expect(told).toContain(FILE);
});

test("a chat and a response may name a tool with the longest name", async () => {
  const { chat, operator } = entries.parts;
  const [toolkit, name] = ["T".repeat(100), "N".repeat(128)];
  const { uri } = standIn(() =>
    Response.json([definition({ name, toolkit: { name: toolkit, version: "1.0.0" } })]),
  );
  await chat.site.runtime.workers.create(operator, httpWorker("long-chat", uri));
  const tools = [`${toolkit}.${name}`];
  const request = { model: "test-model", user: "alice", tools };

  const asked = await chat.ask({ ...request, messages: [{ role: "user", content: "Hello." }] });
  const answer = await entries.agent().post("/v1/responses", { ...request, input: "Hello." });

  expect([asked.status, answer.status]).toEqual([200, 200]);
});

test.each(Object.keys(entries.ways))("a tool with the longest name runs by %s", async (way) => {
  const { chat, operator } = entries.parts;
  const id = `long-${Bun.hash(way).toString(36)}`;
  const toolkit = id.replace("-", "").padEnd(100, "o");
  const name = "N".repeat(128);
  const { uri } = standIn((arrived) =>
    arrived.path.endsWith("/invoke")
      ? answered(arrived, { value: FILE })
      : Response.json([definition({ name, toolkit: { name: toolkit, version: "1.0.0" } })]),
  );
  const { workers, tools } = chat.site.runtime;
  await workers.create(operator, httpWorker(id, uri));
  const { modelName } = await tools.find(operator, "alice", `${toolkit}.${name}`);

  const told = await entries.ways[way]?.run(NAMED_BY_MODEL.test(way) ? modelName : `${toolkit}.${name}`, {});

  expect(told).toContain(FILE);
});
