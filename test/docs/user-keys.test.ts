// docs/user-keys.md, followed from the record to the call: the file and the commands as printed, and a person at the page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "../support/browser";
import { enterKey } from "../authorization/key-page";
import { Upstream, TEXT } from "../support/mcp-upstream";
import { Installation, type RunningServer } from "../support/runtime-process";

const PAGE = readFileSync(join(import.meta.dir, "../../docs/user-keys.md"), "utf8");
const [SECTION = ""] = (PAGE.split("## From a record to a call")[1] ?? "").split("\n## ");
const RECORD = /```json\n([\s\S]*?)```/.exec(SECTION)?.[1] ?? "";
const COMMANDS = [...SECTION.matchAll(/^runtime (.+)$/gm)].map(([, command = ""]) => command);

const NAMES: Readonly<Record<string, string>> = { "key-of-alice": "Alice A.", "key-of-bob": "Bob B." };
const nameOf = ({ headers }: { headers: Headers }): string | undefined =>
  NAMES[headers.get("x-api-key") ?? ""];

/** A tracker that knows its users by their keys. */
const tracker = new Upstream({
  before: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/me") return undefined;
    return new Response(null, { status: nameOf(request) === undefined ? 401 : 200 });
  },
  methods: {
    "tools/list": () => ({ tools: [{ name: "who", inputSchema: { type: "object" } }] }),
    "tools/call": (asked) => TEXT(nameOf(asked) ?? "unknown"),
  },
});
const here = (text: string): string => text.replaceAll(":3001", `:${tracker.port}`);

let installation: Installation;
let server: RunningServer;
beforeAll(async () => {
  installation = new Installation(undefined);
  await installation.run(["init", "--yes"]);
  server = await installation.serve();
  writeFileSync(join(installation.home, "tracker.json"), here(RECORD));
}, 30_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
  await tracker[Symbol.asyncDispose]();
});

/** A line of the page, with the quotes of a shell. */
async function typed(command: string): Promise<string> {
  const words = [...here(command).matchAll(/'([^']*)'|(\S+?)'([^']*)'|(\S+)/g)].map(
    ([, quoted, before = "", inside = "", plain]) => quoted ?? plain ?? before + inside,
  );
  const { code, stdout, stderr } = await installation.run(words);
  expect([command, code, code === 0 ? "" : stderr]).toEqual([command, 0, ""]);
  return stdout;
}

const addressIn = (text: string): string => /http:\S+\/authorize\/[\w-]+/.exec(text)?.[0] ?? "";

test("the commands lead from a record to a call with the key of each user", async () => {
  expect(COMMANDS).toHaveLength(5);
  const [create = "", worker = "", authorize = "", exec = "", list = ""] = COMMANDS;
  await typed(create);
  await typed(worker);
  const printed = await typed(authorize);
  const browser = new Browser();
  const refused = await enterKey(addressIn(printed), "key-of-nobody", browser);
  const text = await refused.text();
  for (const words of ["Open Settings &gt; API keys", "/settings/keys", "refused this key"])
    expect(text).toContain(words);
  await enterKey(addressIn(printed), "key-of-alice", browser);

  expect(await typed(exec)).toContain("Alice A.");
  expect(await typed(list)).toContain("tracker");
  await enterKey(addressIn(await typed(authorize.replace("alice", "bob"))), "key-of-bob");
  expect(await typed(exec.replace("alice", "bob"))).toContain("Bob B.");
}, 60_000);

test("a key that the service ends is asked for again", async () => {
  const exec = COMMANDS[3] ?? "";
  tracker.options.before = () => new Response(null, { status: 401 });
  const words = exec.split(" ");
  const { code, stdout, stderr } = await installation.run(words);

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/key for Tracker was refused|\/authorize\//);
}, 60_000);
