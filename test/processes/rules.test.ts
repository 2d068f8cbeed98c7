// Which paths a cage contains. Landlock cannot take anything out of an allowed folder, so it must not be allowed.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cageSupport, ProcessRefused } from "../../src/processes";
import { cagePaths } from "../../src/processes/rules";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { hostForTest, outcomes, probe, shell } from "./support/programs";

const testInCage = testIfAllowed("Landlock with signals (Linux 6.12)", cageSupport().supported);

/** A folder as a system folder: programs, and our data folder among them. */
function tree() {
  const root = temporaryFolder();
  for (const folder of ["bin", "share/deep", "data/db", "share/key"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["file", "bin/tool", "data/db/runtime.db", "share/deep/text", "share/key/root.key"])
    writeFileSync(join(root, file), "");
  symlinkSync(join(root, "data"), join(root, "link-to-data"));
  return { root, at: (name: string) => join(root, name) };
}

function homeFor(parts: { read?: string[]; write?: string[] }) {
  const spec = shell("", parts);
  mkdirSync(spec.home, { recursive: true });
  return spec;
}

test("the siblings are allowed in place of a folder that contains something hidden", () => {
  const { root, at } = tree();

  const { rules } = cagePaths(homeFor({ read: [root] }), [at("data"), at("share/key/root.key")]);

  const paths = rules.map(({ path }) => path).filter((path) => path.startsWith(root));
  expect(paths.toSorted()).toEqual([at("bin"), at("file"), at("share/deep")]);
});

testInCage("what is hidden in an allowed folder cannot be read, also not through a link", async () => {
  const { root, at } = tree();
  const host = hostForTest({ hidden: [at("data"), at("share/key/root.key")] });
  const attempts = ["file", "share/deep/text", "data/db/runtime.db", "share/key/root.key"]
    .concat("link-to-data/db/runtime.db")
    .map((name) => ({ read: at(name) }));

  const results = await outcomes(host, probe(attempts, { read: [root] }));

  expect(results).toEqual(["ok", "ok", "EACCES", "EACCES", "EACCES"]);
});

testInCage("a home inside of the data folder shows nothing else of it", async () => {
  const { at } = tree();
  const host = hostForTest({ hidden: [at("data")] });
  const home = at("data/homes/one");
  const attempts = [
    { create: join(home, "file"), mode: 0o600 },
    { read: at("data/db/runtime.db") },
    { list: at("data/homes") },
  ];

  const results = await outcomes(host, probe(attempts, { home }));

  expect(results).toEqual(["ok", "EACCES", "EACCES"]);
});

test("settings of the system that are not for every user are left out", () => {
  const { rules } = cagePaths(homeFor({}), []);
  const paths = rules.map(({ path }) => path);

  // With rights for every user all of it is one rule.
  expect(paths.includes("/etc") || paths.includes("/etc/passwd")).toBe(true);
  expect(paths).not.toContain("/etc/shadow");
});

test.each([
  ["a folder around the data folder that may be written", "", "write", "contains"],
  ["the data folder", "data", "read", "lies in"],
  ["a folder inside of the data folder", "data/db", "read", "lies in"],
  ["a link to the data folder", "link-to-data", "read", "lies in"],
  ["a link to the data folder that may be written", "link-to-data", "write", "lies in"],
  ["a path that does not exist", "missing", "read", "does not exist"],
] as const)("%s is refused", (_, name, list, words) => {
  const { at } = tree();
  const path = name === "" ? join(at("x"), "..") : at(name);

  const plan = (): unknown => cagePaths(homeFor({ [list]: [path] }), [at("data")]);

  expect(plan).toThrow(ProcessRefused);
  expect(plan).toThrow(words);
});

test("a relative path is refused", () => {
  expect(() => cagePaths(homeFor({ read: ["etc"] }), [])).toThrow("is not an absolute path");
});

test("a home that contains the root key is refused", () => {
  const spec = homeFor({});

  expect(() => cagePaths(spec, [join(spec.home, "root.key")])).toThrow("Choose a narrower folder.");
});

test("something hidden that does not exist yet stays hidden", () => {
  const { root, at } = tree();

  const { rules } = cagePaths(homeFor({ read: [root] }), [at("share/later/root.key")]);

  expect(rules.map(({ path }) => path)).not.toContain(at("share"));
});

testInCage("a folder of an allowed folder that is closed to others is still allowed", async () => {
  const { root, at } = tree();
  chmodSync(at("share/deep"), 0o700);

  const results = await outcomes(hostForTest(), probe([{ read: at("share/deep/text") }], { read: [root] }));

  expect(results).toEqual(["ok"]);
});
