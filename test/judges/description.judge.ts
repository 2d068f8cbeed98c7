// The API description, its examples and the pages for discovery, judged by programs that others wrote.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { documentOf } from "../../server/openapi/document";
import { contractOperations } from "../../server/operations";
import { isObject, type JsonObject } from "../../src/base";
import { member } from "../support/described";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { FOLDER, judge, run } from "./packages";

const document = documentOf(contractOperations, "http://localhost:9099");
const schemas = member(document, "components", "schemas");

/** Complaints of the linter that are not faults of ours, by rule, with the number of places. */
const LINTED: Readonly<Record<string, [places: number, reason: string]>> = {
  "info-contact": [1, "The server belongs to who runs it."],
  "info-license": [1, "No licence is granted yet."],
  "license-url": [1, "No licence is granted yet."],
  "openapi-tags-alphabetical": [1, "Tags are in the order in which they are used."],
  "path-params": [1, "A secret is written by its name and deleted by its id or name, as published."],
};

beforeAll(() => void judge(), 300_000);

test("spectral finds nothing with all of its rules, but for what is listed with a reason", async () => {
  const folder = temporaryFolder();
  await Bun.write(join(folder, "openapi.json"), JSON.stringify(document));
  await Bun.write(join(folder, "rules.yaml"), "extends: [[spectral:oas, all]]\n");
  const linter = judge("@stoplight", "spectral-cli", "dist", "index.js");
  const options = ["lint", "openapi.json", "--ruleset", "rules.yaml", "--format", "json", "--quiet"];
  const { stdout } = await run(["node", linter, ...options], folder);
  const found = JSON.parse(stdout) as { code: string; message: string; path: string[] }[];
  const unlisted = found.filter(({ code }) => LINTED[code] === undefined);
  const counted = Object.keys(LINTED).map((rule) => [rule, found.filter(({ code }) => code === rule).length]);

  expect(unlisted.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([]);
  expect(counted).toEqual(Object.entries(LINTED).map(([rule, [places]]) => [rule, places]));
}, 120_000);

describe("ajv, strict,", () => {
  test("compiles every record, and takes every example", async () => {
    const ajv = await strictAjv();
    const faults: string[] = [];
    for (const name of Object.keys(schemas)) ajv.getSchema(`${ROOT}#/components/schemas/${name}`);
    const examples = examplesIn(document, "");
    for (const { at, schema, example } of examples) {
      const validate = ajv.compile(refersToRoot(schema) as object);
      if (!validate(example)) faults.push(`${at}: ${ajv.errorsText(validate.errors)}`);
    }

    expect(faults).toEqual([]);
    expect([examples.length > 150, faults]).toEqual([true, []]);
  });
});

test("re2 compiles every pattern of the document", async () => {
  const { RE2JS } = await import(judge("re2js", "build", "index.js"));
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = ""]) => String(JSON.parse(text)),
  );
  const refused = [...new Set(patterns)].filter((pattern) => {
    try {
      RE2JS.compile(pattern);
      return false;
    } catch {
      return true;
    }
  });

  expect([patterns.length > 20, refused]).toEqual([true, []]);
});

describe("discovery", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("llms.txt is read by its reference parser", async () => {
    const text = await (await fetch(`${site.url}/llms.txt`)).text();
    const child = Bun.spawn(["python3", join(FOLDER, "llms_miniparse.py")], {
      stdin: new TextEncoder().encode(text),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([await child.exited, stderr]).toEqual([0, ""]);
    const parsed: unknown = JSON.parse(stdout);
    const sections = Object.values(member(parsed, "sections")).flat() as { url: string; title: string }[];

    expect(parsed).toMatchObject({ title: "Agent runtime", summary: expect.stringContaining("Runs tools") });
    expect(sections.length).toBeGreaterThan(50);
    for (const { url } of sections) expect(url).toStartWith(site.url);
  });

  test("the API catalog is read by a parser of linksets", async () => {
    const { parse } = await import(judge("@drupal", "linkset", "dist", "index.js"));
    const links = parse(await (await fetch(`${site.url}/.well-known/api-catalog`)).text());
    const targets = (relation: string): string[] =>
      [...links.linksTo(relation)].map(({ href }: { href: string }) => href);

    expect(targets("item")).toEqual([`${site.url}/v1`]);
    for (const relation of ["item", "service-desc", "service-doc", "status"])
      for (const href of targets(relation)) expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  });
});

const ROOT = "https://runtime.test/openapi.json";

async function strictAjv() {
  const { default: Ajv } = await import(judge("ajv", "dist", "2020.js"));
  const { default: addFormats } = await import(judge("ajv-formats", "dist", "index.js"));
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true, validateSchema: true });
  addFormats(ajv);
  // Only its components are schemas, and a description may have keywords of its own (x-…).
  ajv.addVocabulary(["components", "schemas", "x-extension"]);
  ajv.addSchema({ $id: ROOT, components: { schemas } });
  return ajv;
}

/** Every example next to a schema: of bodies and answers. */
function examplesIn(value: unknown, at: string): { at: string; schema: JsonObject; example: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => examplesIn(one, `${at}/${index}`));
  if (!isObject(value)) return [];
  const { schema, example } = value;
  const own =
    isObject(schema) && example !== undefined ? [{ at, schema: schema as JsonObject, example }] : [];
  return [...own, ...Object.entries(value).flatMap(([key, one]) => examplesIn(one, `${at}/${key}`))];
}

function refersToRoot(schema: JsonObject): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${ROOT}#/`));
}
