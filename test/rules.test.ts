// The project rules, checked on the project itself and on made-up files that break each of them.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, lockViolations, type SourceFile, violationsOf } from "./support/rules";
import { areaCircles, importCircles } from "./support/imports";
import { unusedExceptions } from "./support/vendor-words";

const ROOT = join(import.meta.dir, "..");
const PARTS = ["src", "catalogs", "server", "cli", "build"].filter((part) => existsSync(join(ROOT, part)));

function projectFiles(): SourceFile[] {
  return PARTS.flatMap((part) =>
    [...new Bun.Glob("**/*.{ts,tsx}").scanSync({ cwd: join(ROOT, part) })].map((name) => ({
      path: `${part}/${name}`,
      text: readFileSync(join(ROOT, part, name), "utf8"),
    })),
  );
}

/** A small project: the files that the rules name, and one more. */
function projectWith(path: string, text: string): SourceFile[] {
  const others = [
    "src/errors.ts",
    "src/runtime.ts",
    "src/store/index.ts",
    "src/store/port.ts",
    "src/tools/index.ts",
  ];
  const more = [
    "src/tools/registry.ts",
    "src/egress/index.ts",
    "server/index.ts",
    "cli/io.ts",
    "catalogs/chat/index.ts",
  ];
  return [...others, ...more, "test/support/rules.ts"]
    .filter((other) => other !== path)
    .map((other) => ({ path: other, text: "" }))
    .concat([{ path, text }]);
}

describe("the project", () => {
  const files = projectFiles();

  test("has its areas among the checked files", () => {
    const paths = files.map(({ path }) => path);

    expect(paths).toContain("src/errors.ts");
    expect(paths).toContain("src/store/sqlite.ts");
  });

  test("has imports that the pattern finds", () => {
    const sqlite = files.find(({ path }) => path === "src/store/sqlite.ts");

    expect(importsOf(sqlite?.text ?? "")).toEqual(
      expect.arrayContaining(["bun:sqlite", "../errors", "./port"]),
    );
  });

  test("has no import that the compiler finds and the pattern misses", () => {
    const compiler = new Bun.Transpiler({ loader: "ts", target: "bun" });
    const missed = files.flatMap(({ path, text }) => {
      const found = new Set(importsOf(text));
      return compiler
        .scanImports(text)
        .flatMap((seen) => (found.has(seen.path) ? [] : [`${path}: ${seen.path}`]));
    });

    expect(missed).toEqual([]);
  });

  test("follows the rules", () => {
    expect(violationsOf(files)).toEqual([]);
  });

  test("has no files that import each other in a circle", () => {
    expect(importCircles(files)).toEqual([]);
  });

  test("has no areas that import each other in a circle, types included", () => {
    expect(areaCircles(files)).toEqual([]);
  });

  test("needs every exception for a vendor word", () => {
    expect(unusedExceptions(files)).toEqual([]);
  });

  test("has a lock file without addresses", () => {
    expect(lockViolations(readFileSync(join(ROOT, "bun.lock"), "utf8"))).toEqual([]);
  });
});

describe("the one-way rule refuses", () => {
  test.each([
    ["src → catalogs", "src/tools/registry.ts", "../../catalogs/chat", "src imports nothing of catalogs"],
    ["src → server", "src/runtime.ts", "../server", "src imports nothing of catalogs"],
    ["src → cli", "src/audit/service.ts", "../../cli/io", "src imports nothing of catalogs"],
    [
      "src → cli by its name from the root",
      "src/audit/service.ts",
      "cli/io",
      "src imports nothing of catalogs",
    ],
    [
      "an area → the inside of another",
      "src/audit/service.ts",
      "../store/port",
      "store is imported through its index.ts only",
    ],
    [
      "an area → the inside of another, with extension",
      "src/audit/service.ts",
      "../store/port.ts",
      "store is imported through",
    ],
    [
      "an area's folder → the inside of another",
      "src/audit/log/rows.ts",
      "../../store/port",
      "store is imported through",
    ],
    [
      "an area → a file that is not there",
      "src/audit/service.ts",
      "../store/absent",
      "store is imported through",
    ],
    [
      "the root → the inside of an area",
      "src/runtime.ts",
      "./store/port",
      "store is imported through its index.ts only",
    ],
    [
      "an area → the composition root",
      "src/audit/service.ts",
      "../runtime",
      "areas do not import the composition root",
    ],
    [
      "catalogs → an area",
      "catalogs/chat/tools.ts",
      "../../src/store",
      "catalogs import only src/tools and src/egress",
    ],
    [
      "catalogs → errors",
      "catalogs/chat/tools.ts",
      "../../src/errors",
      "catalogs import only src/tools and src/egress",
    ],
    [
      "catalogs → the inside of tools",
      "catalogs/chat/tools.ts",
      "../../src/tools/registry",
      "catalogs import only",
    ],
    [
      "catalogs → server",
      "catalogs/chat/tools.ts",
      "../../server",
      "catalogs import only src/tools and src/egress",
    ],
    [
      "catalogs → the inside of providers",
      "catalogs/presets/new.ts",
      "../../src/providers/preset",
      "catalogs import only",
    ],
    ["server → cli", "server/dispatch.ts", "../cli/io", "server imports nothing of cli"],
    ["cli → server", "cli/keys.ts", "../server", "of cli only cli/serve.ts imports the server"],
    [
      "cli/serve.ts → the inside of the server",
      "cli/serve.ts",
      "../server/dispatch",
      "of cli only cli/serve.ts imports",
    ],
    ["src → build", "src/runtime.ts", "../build/targets", "src imports nothing of catalogs"],
    ["server → build", "server/dispatch.ts", "../build/targets", "the product imports nothing of build/"],
    ["cli → build", "cli/keys.ts", "../build/targets", "the product imports nothing of build/"],
    ["build → tests", "build/release.ts", "../test/support/rules", "nothing outside test/ imports tests"],
    ["anything → tests", "src/runtime.ts", "../test/support/rules", "nothing outside test/ imports tests"],
  ])("%s", (_way, path, specifier, rule) => {
    const violations = violationsOf(projectWith(path, `import { something } from "${specifier}";\n`));

    expect(violations).toEqual([expect.stringContaining(`${path} imports ${specifier}: ${rule}`)]);
  });

  test.each([
    ["a type", 'import type { Store } from "../store/port";'],
    ["a type among others", 'import { type Store } from "../store/port";'],
    ["names on many lines", 'import {\n  one,\n  // the other\n  other as another,\n} from "../store/port";'],
    ["all as one name", 'import * as port from "../store/port";'],
    ["a default", 'import port, { one } from "../store/port";'],
    ["nothing, for its effects", 'import "../store/port";'],
    ["a re-export", 'export { one } from "../store/port";'],
    ["a re-export of all", 'export * from "../store/port";'],
    ["a re-export of a type", 'export type { Store } from "../store/port";'],
    ["without blanks", 'import{one}from"../store/port";'],
    ["single quotes", "import { one } from '../store/port';"],
    ["later, by a call", 'const port = await import("../store/port");'],
    ["a type by a call", 'let store: import("../store/port").Store;'],
    ["require", 'const port = require("../store/port");'],
    ["after code", 'const one = 1;\nimport { other } from "../store/port";'],
  ])("an import of %s", (_form, text) => {
    expect(violationsOf(projectWith("src/audit/service.ts", text))).toHaveLength(1);
  });
});

describe.each(["providers", "config"])("catalogs → src/%s", (area) => {
  const importing = (clause: string): string[] =>
    violationsOf(projectWith("catalogs/presets/new.ts", `${clause} from "../../src/${area}";\n`));

  test("allows a type", () => {
    expect(importing("import type { Something }")).toEqual([]);
  });

  test("refuses a value", () => {
    expect(importing("export { something }")).toEqual([
      expect.stringContaining("catalogs import only types of src/providers and src/config"),
    ]);
  });
});

describe("the one-way rule allows", () => {
  test.each([
    ["an area → another's index", "src/audit/service.ts", "../store"],
    ["an area → another's index by name", "src/audit/service.ts", "../store/index"],
    ["an area's folder → another's index", "src/audit/log/rows.ts", "../../store"],
    ["a schema → another area's", "src/llm/schema.ts", "../authorization/schema"],
    ["an operation → a schema", "server/operations/models.ts", "../../src/llm/model-schema"],
    ["a schema → one in a folder", "src/llm/schema.ts", "../tools/schedule/schema.ts"],
    ["an area → itself", "src/store/sqlite.ts", "./port"],
    ["an area's folder → its own area", "src/store/schema/main.ts", "../port"],
    ["an area → errors", "src/audit/service.ts", "../errors"],
    ["an area → another root file", "src/audit/service.ts", "../core"],
    ["the root → an area", "src/runtime.ts", "./store"],
    ["the root → errors", "src/runtime.ts", "./errors"],
    ["catalogs → tools", "catalogs/chat/tools.ts", "../../src/tools"],
    ["catalogs → egress", "catalogs/chat/client.ts", "../../src/egress/index"],
    ["catalogs → themselves", "catalogs/index.ts", "./chat"],
    ["server → src", "server/dispatch.ts", "../src/store"],
    ["server → catalogs", "server/index.ts", "../catalogs/chat"],
    ["cli → src", "cli/keys.ts", "../src/runtime"],
    ["cli/serve.ts → server", "cli/serve.ts", "../server/index"],
    ["a package", "src/audit/service.ts", "typebox/compile"],
    ["a module of the system", "src/audit/service.ts", "node:fs"],
  ])("%s", (_way, path, specifier) => {
    expect(violationsOf(projectWith(path, `import { something } from "${specifier}";\n`))).toEqual([]);
  });

  test.each([
    ["a comment", '// import { one } from "../store/port";'],
    ["an example in a docstring", '/**\n * import { one } from "../store/port";\n */'],
    ["a string that contains one", 'const hint = `write: import { one } from "../store/port"`;'],
  ])("%s", (_what, text) => {
    expect(violationsOf(projectWith("src/audit/service.ts", text))).toEqual([]);
  });
});

describe("the stand-ins are loaded only by the command that runs them:", () => {
  test.each([
    ["a catalog", "catalogs/chat/tools.ts", 'import { x } from "../sandbox/chat";', 1],
    ["the catalogs, later", "catalogs/index.ts", 'void import("./sandbox");', 1],
    ["another command, later", "cli/serve.ts", 'void import("../catalogs/sandbox");', 1],
    ["the command at once", "cli/commands/sandbox.ts", 'import { x } from "../sandbox/run";', 1],
    ["another command's start", "cli/commands/serve.ts", 'void import("../sandbox/run");', 1],
    ["the command at its start", "cli/sandbox/run.ts", 'import { x } from "../../catalogs/sandbox";', 1],
    ["the command when it runs", "cli/sandbox/run.ts", 'void import("../../catalogs/sandbox");', 0],
    ["a type", "cli/sandbox/state.ts", 'import type { X } from "../../catalogs/sandbox";', 0],
    ["the command, later", "cli/commands/sandbox.ts", 'void import("../sandbox/run");', 0],
    ["a stand-in", "catalogs/sandbox/sheets/front.ts", 'import { x } from "../chat/json";', 0],
  ])("%s", (_what, path, text, count) => {
    expect(violationsOf(projectWith(path, text))).toHaveLength(count);
  });
});

describe("the other rules", () => {
  test.each([
    "src/audit/service.ts",
    "server/dispatch.ts",
    "cli/keys.ts",
    "catalogs/chat/tools.ts",
    "build/release.ts",
  ])("refuses a file of 301 lines: %s", (path) => {
    expect(violationsOf(projectWith(path, "void 1;\n".repeat(301)))).toEqual([
      `${path} has 301 lines: past 300, look for the second thing in it`,
    ]);
  });

  test.each([
    ["the package file", "../../package.json", []],
    [
      "another file of the root",
      "../../build",
      ["src/audit/service.ts imports ../../build: src imports nothing of catalogs, server or cli"],
    ],
  ])("src may import the product's version from the root, nothing else: %s", (_which, target, broken) => {
    expect(violationsOf(projectWith("src/audit/service.ts", `import { version } from "${target}";`))).toEqual(
      broken,
    );
  });

  test("allows a file of 300 lines", () => {
    expect(violationsOf(projectWith("src/audit/service.ts", "void 1;\n".repeat(300)))).toEqual([]);
  });

  test.each([
    ["a call", "const answer = await fetch(address);"],
    ["a call in an expression", "export const answer = [fetch(address, { method: (0, method) })];"],
    ["a call in a condition", "if (await fetch(address)) { done(); }"],
    ["globalThis.fetch", "export const send = globalThis.fetch;"],
    ["Bun.fetch", "export const send = Bun.fetch(address);"],
    ["globalThis with a text", 'export const send = globalThis["fetch"];'],
  ])("src outside egress makes no outbound call by %s [fault: private-authority]", (_how, text) => {
    expect(violationsOf(projectWith("src/audit/service.ts", text))).toEqual([
      "src/audit/service.ts calls fetch: only src/egress makes outbound calls",
    ]);
  });

  test.each([
    ["a method of egress", "export const answer = await egress.fetch(address);"],
    ["a private method", "class A { #fetch(a: string) { return a; } go() { return this.#fetch(address); } }"],
    ["a signature", "export interface Egress { fetch(address: string): Promise<Response>; }"],
    ["a method's definition", "export const tool = { async fetch(address: string) { return address; } };"],
    ["another name", "prefetch(address); fetchAll(address); refetch (address);"],
    ["a comment", "// fetch(address)\nexport const one = 1;"],
  ])("%s is not an outbound call", (_what, text) => {
    expect(violationsOf(projectWith("src/audit/service.ts", text))).toEqual([]);
  });

  test("egress may make outbound calls", () => {
    expect(
      violationsOf(projectWith("src/egress/client.ts", "export const a = await fetch(address);")),
    ).toEqual([]);
  });

  test.each(["log", "error"])("src does not print with console.%s", (method) => {
    expect(violationsOf(projectWith("src/audit/service.ts", `console.${method}("x");`))).toEqual([
      "src/audit/service.ts prints: src writes to its log",
    ]);
  });

  test.each([
    ["a function of an area", "src/tools/x.ts", "export function f(): Awaitable<string> {}", 1],
    ["a look at the value", "src/tools/x.ts", "if (value instanceof Promise) await value;", 1],
    ["the store", "src/store/x.ts", "export function f(): Awaitable<string> {}", 0],
    ["a promise", "src/tools/x.ts", "export function f(): Promise<string> {}", 0],
  ])("a value that may be a promise stays in the store: %s", (_what, path, text, count) => {
    expect(violationsOf(projectWith(path, text))).toHaveLength(count);
  });

  test.each([
    ["a value", 'import { createHash } from "node:crypto"; createHash("md5");', 1],
    ["a type", 'import type { KeyObject } from "node:crypto";', 0],
  ])("node:crypto is not imported: %s", (_what, text, count) => {
    expect(violationsOf(projectWith("src/audit/service.ts", text))).toHaveLength(count);
  });

  test.each([
    ["two files", ['import { b } from "./b";', 'import { a } from "./a";'], [["src/x/a.ts", "src/x/b.ts"]]],
    ["a re-export", ['export { b } from "./b";', 'import { a } from "./a";'], [["src/x/a.ts", "src/x/b.ts"]]],
    ["itself", ['import { a } from "./a";', ""], [["src/x/a.ts"]]],
    ["a type", ['import type { B } from "./b";', 'import { a } from "./a"; a();'], []],
    ["later", ['const b = () => import("./b");', 'import { a } from "./a"; a();'], []],
    ["one way", ['import { b } from "./b"; b();', ""], []],
  ])("a circle of imports: %s", (_how, [a = "", b = ""], circles) => {
    const used = (text: string): string => text.replace(/^(import \{ (\w) \}.*);$/, "$1; $2();");
    const files = [
      { path: "src/x/a.ts", text: used(a) },
      { path: "src/x/b.ts", text: used(b) },
    ];

    expect(importCircles(files)).toEqual(circles);
  });

  test.each([
    ["types", ['import type { B } from "../b";', 'import type { A } from "../a";'], [["src/a", "src/b"]]],
    ["dynamic imports", ['void import("../b");', 'void import("../a");'], [["src/a", "src/b"]]],
    ["a file of the root", ['import "../core";', ""], [["src/a", "src/core"]]],
    ["one way", ['import type { B } from "../b";', ""], []],
  ])("a circle of areas: %s", (_how, [a = "", b = ""], circles) => {
    const files = [
      { path: "src/a/index.ts", text: a },
      { path: "src/b/index.ts", text: b },
      { path: "src/core.ts", text: 'import type { A } from "./a";' },
    ];

    expect(areaCircles(files)).toEqual(circles);
  });

  test.each([
    ["a vendor", 'export const id = "slack";', "slack"],
    ["a vendor in a comment", "// Google answers without it.", "Google"],
    ["a vendor in an identifier", "export const isZohoAnswer = true;", "Zoho"],
    ["a vendor's address", 'export const url = "https://gmail.googleapis.com";', "gmail"],
    ["a toolkit", 'export const toolkit = "VendorCreatorApi";', "VendorCreator"],
    ["a platform", "export interface SpreadsheetFile {}", "Spreadsheet"],
    ["a platform's short name", 'export const setting = "sheets.api_url";', "sheets"],
    ["a file platform", 'export const setting = "drive.api_url";', "drive"],
    ["a file platform in an identifier", "export function listDriveFiles() {}", "Drive"],
    ["a page of a platform", 'export const path = "/picker";', "picker"],
    ["the chat platform", "// The team-chat platform.", "team-chat"],
    ["a tool of it", "// For example `Chat.SendMessage`.", "Chat.S"],
    ["a scope of it", 'export const scope = "chat:write";', "chat:w"],
    ["a setting", 'export const setting = "records.accounts_hosts";', "accounts_hosts"],
  ])("src does not name %s", (_what, line, word) => {
    const [violation, ...others] = violationsOf(projectWith("src/audit/service.ts", `\n${line}\n`));

    expect(violation).toBe(`src/audit/service.ts:2 contains the vendor word "${word}": move it to catalogs`);
    expect(others).toEqual([]);
  });

  test("no file of src is named after a vendor", () => {
    expect(violationsOf(projectWith("src/audit/slack.ts", ""))).toEqual([
      "src/audit/slack.ts is named after a vendor",
    ]);
  });

  test.each([
    [
      "a model protocol",
      "src/llm/service.ts",
      '// Returns a `chat.completion` of "openai" (`chat_endpoint`) or "anthropic".',
    ],
    ["an MCP client", "src/gateways/service.ts", '// Sent by "claude-code" and "cursor".'],
    ["an ordinary verb", "src/audit/service.ts", "// A driver drives the stylesheets."],
    ["a catalog", "catalogs/chat/index.ts", 'export const id = "slack";'],
    ["an exception", "src/egress/address.ts", 'void "fd20:ce::254"; // Google'],
  ])("the vendor words let through %s", (_what, path, line) => {
    expect(violationsOf(projectWith(path, line))).toEqual([]);
  });

  test("an exception holds in its file only", () => {
    expect(violationsOf(projectWith("src/audit/service.ts", 'void "fd20:ce::254"; // Google'))).toHaveLength(
      1,
    );
  });

  test("cli may print", () => {
    expect(violationsOf(projectWith("cli/io.ts", 'console.log("x");'))).toEqual([]);
  });

  test("refuses a lock file that was created with a mirror", () => {
    const entry = '"chalk": ["chalk@6.0.1", "https://mirror.test/chalk.tgz", {}, "sha512-x"]';

    expect(lockViolations(entry)).toHaveLength(1);
  });
});
