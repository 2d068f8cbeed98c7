// docs/finding-tools.md, followed to the end: what its commands print and its messages are answered.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../support/api";
import { temporaryFolder } from "../support/temporary";

const ROOT = join(import.meta.dir, "../..");
const PAGE = readFileSync(join(ROOT, "docs/finding-tools.md"), "utf8");

test("the commands of the page search, and the messages find, describe and call", async () => {
  const home = temporaryFolder();
  const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  mkdirSync(join(home, "bin"));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
  writeFileSync(join(home, "bin", "runtime"), program, { mode: 0o755 });
  const child = Bun.spawn(["sh", "-e", "-c", blocks.join("\n")], {
    cwd: home,
    env: { HOME: home, PATH: `${home}/bin:${process.env["PATH"] ?? ""}` },
    stdout: "pipe",
    timeout: 60_000,
  });
  const printed = await child.stdout.text();
  expect(await child.exited).toBe(0);

  expect(printed).toMatch(/^Chat\.SendMessage /m);
  const found: unknown = JSON.parse(readFileSync(join(home, "found.json"), "utf8"));
  expect(at(found, "0.qualified_name")).toBe("Sheets.GetSpreadsheetMetadata");

  const answers = readFileSync(join(home, "answers.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const answer = (id: number): unknown => answers.find((each) => at(each, "id") === id);
  const listed = at(answer(2), "result.tools");
  expect(Array.isArray(listed) ? listed.map((tool) => String(at(tool, "name"))) : []).toEqual([
    "search_tools",
    "describe_tool",
    "call_tool",
    "Chat_SendMessage",
  ]);
  expect(at(answer(3), "result.structuredContent.tools.0.name")).toBe("Chat_GetMessages");
  expect(at(answer(4), "result.structuredContent.inputSchema.properties.channel_name")).toBeDefined();
  expect(at(answer(5), "result.isError")).toBe(true);
  expect(String(at(answer(5), "result.content.0.text"))).toContain("no auth provider");
}, 60_000);
