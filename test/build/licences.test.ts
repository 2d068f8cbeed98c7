// What a release says about the licences inside: nothing goes in whose licence is unknown.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { licencesOfBun, partsOf } from "../../build/bun-parts";
import { licenceFile } from "../../build/licence-file";
import { packagesOf, standardText } from "../../build/licences";
import { temporaryFolder } from "../support/temporary";

const ROOT = join(import.meta.dir, "../..");
const PAGE = readFileSync(join(ROOT, "node_modules/bun-types/docs/project/license.mdx"), "utf8")
  .replace(/^---\n[\s\S]*?\n---\n/, "")
  .trim();

/** A checkout with one package; returns its folder. */
async function checkoutWith(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = temporaryFolder();
  const all = { "package.json": JSON.stringify(manifest), "index.js": "", ...files };
  for (const [name, text] of Object.entries(all))
    await Bun.write(join(folder, "node_modules/some", name), text);
  return folder;
}

const SOME = { name: "some", version: "1.2.3", license: "MIT" };
const INPUTS = ["src/runtime.ts", "package.json", "node_modules/some/index.js"];

test("lists a package with its version, licence and texts", async () => {
  const files = { LICENSE: "the text", "NOTICE.md": "a notice", "license-checker.js": "", "readme.md": "" };
  const root = await checkoutWith({ ...SOME, dependencies: { absent: "1" } }, files);

  expect(packagesOf(INPUTS, root)).toEqual([
    {
      name: "some",
      version: "1.2.3",
      licence: "MIT",
      texts: [
        { source: "LICENSE", text: "the text" },
        { source: "NOTICE.md", text: "a notice" },
      ],
      dependencies: [],
      contains: [],
    },
  ]);
});

test("a package inside another one is a package of its own", async () => {
  const root = await checkoutWith(SOME, {
    LICENSE: "outer",
    "node_modules/@in/ner/package.json": JSON.stringify({
      name: "@in/ner",
      version: "4.0.0",
      license: "ISC",
    }),
    "node_modules/@in/ner/LICENCE.txt": "inner",
  });
  const inputs = [...INPUTS, "node_modules/some/node_modules/@in/ner/index.js"];

  expect(packagesOf(inputs, root).map(({ name, texts }) => [name, texts[0]?.text])).toEqual([
    ["@in/ner", "inner"],
    ["some", "outer"],
  ]);
});

test("a package without a text gets the standard one, with its author", async () => {
  const root = await checkoutWith({ ...SOME, license: "(MIT/Apache-2.0)", author: { name: "Ada" } });
  const [found] = packagesOf(INPUTS, root);

  expect(found?.licence).toBe("(MIT OR Apache-2.0)");
  expect(found?.texts.map(({ source }) => source)).toEqual([
    "MIT, the standard text; the package names Ada as the author",
    "Apache-2.0, the standard text; the package names Ada as the author",
  ]);
  expect(found?.texts.map(({ text }) => text)).toEqual([standardText("MIT"), standardText("Apache-2.0")]);
});

test("a bundle brings the notices for what it contains, and the names", async () => {
  const root = await checkoutWith(SOME, {
    LICENSE: "the text",
    "index.js.LICENSE.txt": "notices",
    "other.js.LICENSE.txt": "of a file that is not in the executable",
    "index.js.map": JSON.stringify({
      sources: ["webpack://x/./node_modules/a/index.js", "webpack://x/node_modules/a/node_modules/@b/c/d.js"],
    }),
  });
  const [found] = packagesOf(INPUTS, root);

  expect(found?.texts.map(({ source }) => source)).toEqual(["LICENSE", "index.js.LICENSE.txt"]);
  expect(found?.contains).toEqual(["@b/c", "a"]);
});

test.each([
  [
    "an unknown licence",
    { ...SOME, license: "Business-Source-1.1" },
    'has the licence "Business-Source-1.1"',
  ],
  ["no licence", { name: "some", version: "1.2.3" }, 'has the licence ""'],
  ["one of two licences unknown", { ...SOME, license: "MIT AND GPL-3.0-only" }, "MIT AND GPL-3.0-only"],
  [
    "a licence that is only like a known one",
    { ...SOME, license: "MIT-Modern-Variant" },
    "MIT-Modern-Variant",
  ],
])("refuses a package with %s", async (_what, manifest, message) => {
  const root = await checkoutWith(manifest, { LICENSE: "text" });

  expect(() => packagesOf(INPUTS, root)).toThrow(message);
});

test.each(["(MIT OR GPL-3.0-only)", "GPL-2.0-only OR MIT", "MIT AND ISC"])("takes %s", async (license) => {
  const root = await checkoutWith({ ...SOME, license }, { LICENSE: "text" });

  expect(packagesOf(INPUTS, root)).toHaveLength(1);
});

test.each(["vendor/copied.js", "test/sandbox/start.ts", "../other/file.ts"])(
  "refuses a file of neither the product nor a package: %s",
  async (input) => {
    const root = await checkoutWith(SOME);

    expect(() => packagesOf([...INPUTS, input], root)).toThrow(`${input} belongs neither to the product nor`);
  },
);

describe("Bun's own page", () => {
  test("is of the version in use, and names a licence for each part", () => {
    const { version, parts } = licencesOfBun(ROOT);

    expect(version).toBe(Bun.version);
    expect(parts.length).toBeGreaterThan(45);
    expect(parts).toContainEqual({
      name: "JavaScriptCore and WebCore of WebKit",
      licence: "LGPL-2.0-or-later",
    });
    expect(parts).toContainEqual({ name: "zlib-ng", licence: "Zlib" });
    expect(parts).toContainEqual({ name: "vm-browserify", licence: "MIT" });
  });

  test("every id in it is one that SPDX has a text for", () => {
    const ids = licencesOfBun(ROOT).parts.flatMap(({ licence }) => licence.split(" AND "));

    expect(ids.map(standardText).filter((text) => text.length < 200)).toEqual([]);
  });

  test.each([
    ["a part with another licence", "| `newlib` | Elastic License 2.0 |", "Bun contains newlib"],
    ["a part with several licences", "| `newlib` | [several licenses](x) |", "Bun contains newlib"],
  ])("is refused with %s", (_what, row, message) => {
    const changed = PAGE.replace("| [`brotli`]", `${row}\n| [\`brotli\`]`);

    expect(() => partsOf(changed)).toThrow(message);
  });

  test("is refused if it says something else about the engine", () => {
    expect(() => partsOf(PAGE.replace("LGPL-2 licensed.", "licensed."))).toThrow("something else");
  });
});

test("the file has every text, and names the decision of the owner", async () => {
  const root = await checkoutWith(SOME, { LICENSE: "the text of some" });
  const contents = { packages: packagesOf(INPUTS, root), bun: licencesOfBun(ROOT) };
  const file = licenceFile({ name: "runtime", version: "1.0.0" }, contents);

  expect(file).toContain("its owner has not chosen a licence yet");
  expect(file).toContain("the text of some");
  expect(file).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
  expect(file).toContain("To relink Bun with changes");
  expect(file).toContain("The standard text of Apache-2.0");
});
