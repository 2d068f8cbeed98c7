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
