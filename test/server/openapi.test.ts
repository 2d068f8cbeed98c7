// The API description: valid, complete, and nothing in it that is not there.
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Components } from "../../server/openapi/components";
import { exampleOf } from "../../server/openapi/examples";
import { documentOf } from "../../server/openapi/document";
import { FIELD_NAMES } from "../../server/openapi/fields";
import { RECORDS } from "../../server/openapi/records";
import { contractOperations as operations } from "../../server/operations";
import { fieldErrors, isObject, type JsonObject } from "../../src/base";
import { FORMATS } from "../../src/tools/schema";
import {
  answerFaults,
  description,
  describedOperations as described,
  member,
  resolved,
} from "../support/described";
import { at } from "../support/api";
import { startOwn } from "./own";

const ROOT = join(import.meta.dir, "..", "..");
const PUBLIC_URL = "https://runtime.test";
const published = documentOf(operations, PUBLIC_URL);
const text = JSON.stringify(published);

describe("the document is valid", () => {
  test("for the schema of OpenAPI 3.1", async () => {
    expect(await new Validator().validate(structuredClone(published))).toEqual({ valid: true });
    expect(published["openapi"]).toBe("3.1.1");
  });

  test("for a parser that follows every reference", async () => {
    const parsed = await SwaggerParser.validate(JSON.parse(text));

    expect(Object.keys(parsed.paths ?? {})).toHaveLength(Object.keys(member(published, "paths")).length);
  });

  test("for a linter with its recommended rules, but for the two paths of secrets that differ in a name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "runtime-openapi-"));
    try {
      await Bun.write(join(folder, "openapi.json"), text);
      await Bun.write(
        join(folder, "redocly.yaml"),
        "extends: [recommended]\nrules: {no-identical-paths: off}\n",
      );
      const linter = join(ROOT, "node_modules", "@redocly", "cli", "bin", "cli.js");
      const run = Bun.spawnSync(["node", linter, "lint", "openapi.json", "--format", "json"], {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      });
      const report: unknown = JSON.parse(run.stdout.toString());
      const problems = Object(report).problems as { ruleId: string; severity: string; message: string }[];
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      // No licence is granted yet; of the paths of secrets one is deleted by, the other written; three operations have
      // nothing that a caller could do wrong.
      expect(problems.map(({ ruleId }) => ruleId).toSorted()).toEqual([
        "info-license",
        "no-ambiguous-paths",
        ...Array.from({ length: 3 }, () => "operation-4xx-response"),
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

describe("the document has", () => {
  test("each operation of the table and nothing else", () => {
    const table = operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted();

    expect(described.map(({ id, name }) => `${id} ${name}`).toSorted()).toEqual(table);
  });

  test("no alias", () => {
    expect(text).not.toContain('"/v1/orgs/{org_id}/projects/{project_id}/tools"');
    expect(described.some(({ name }) => name === "PUT /v1/admin/secrets/{secret_key}")).toBe(false);
  });

  test("every component used, and every reference leads to one", () => {
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference));
    const components = Object.entries(member(published, "components"))
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, named]) => Object.keys(Object(named)).map((name) => `#/components/${kind}/${name}`));

    expect(components.toSorted()).toEqual([...references].map(String).toSorted());
  });

  test("every record that is named", () => {
    const schemas = Object.keys(member(published, "components", "schemas"));

    expect(Object.keys(RECORDS).filter((name) => !schemas.includes(name))).toEqual([]);
  });

  test("a name for every body and every answer", () => {
    const components = new Components(RECORDS);
    const schemas = operations.flatMap(({ body, success }) => [body, success.schema]);

    for (const schema of schemas) {
      if (schema !== undefined) expect(components.nameOf(schema)).toBeString();
    }
  });

  test.each(Object.entries(RECORDS))("an example of %s that fits, where it is sent whole", (name, schema) => {
    const used = text.includes(`"schema":{"$ref":"#/components/schemas/${name}"}`);
    const example = exampleOf(name);

    expect(example !== undefined || !used || name === "Error").toBe(true);
    if (example !== undefined) expect(fieldErrors(schema, example)).toEqual([]);
  });

  test("the limits and defaults of what a query takes", () => {
    const listing = described.find(({ id }) => id === "tools-list-formatted");

    expect(listing?.object["parameters"]).toContainEqual({
      name: "limit",
      in: "query",
      description: "Page size, at most 100.",
      required: false,
      schema: { type: "integer", minimum: 1, default: 25 },
    });
    expect(parametersOf("auth-status")).toContain("wait");
    expect(parametersOf("tool-execute")).toEqual(["Idempotency-Key"]);
    expect(parametersOf("auth-providers-get")).toEqual(["id", "If-None-Match"]);
  });

  test("the address of the server, and which operations need no credential", () => {
    expect(published["servers"]).toEqual([{ url: PUBLIC_URL }]);
    expect(published["security"]).toEqual([{ Bearer: [] }, { ApiKey: [] }]);
    expect(
      described
        .filter(({ open }) => open)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["engine-config", "service-health", "swagger"]);
  });

  test("the Error record for every refusal but that of health", () => {
    for (const { id, object } of described) {
      for (const [status, response] of Object.entries(member(object, "responses"))) {
        const record = status === "503" && id === "service-health" ? "HealthSchema" : "Error";
        if (Number(status) >= 400)
          expect(JSON.stringify(resolved(response))).toContain(`"#/components/schemas/${record}"`);
      }
    }
  });
});

describe("each example of an answer", () => {
  const answers = described.flatMap(({ id, object }) =>
    Object.entries(member(object, "responses")).map(([status, response]) => {
      const content = resolved(response)?.["content"];
      const media = content === undefined ? undefined : member(content, "application/json");
      return { name: `${id} ${status}`, status: Number(status), example: media?.["example"] };
    }),
  );

  test("of an error has its status and every member that answers have", () => {
    const errors = answers.filter(({ name, status }) => status >= 400 && name !== "service-health 503");
    const members = ["name", "message", "type", "title", "status", "detail", "error"];
    const wrong = errors.filter(
      ({ status, example }) =>
        example !== undefined &&
        !(at(example, "status") === status && members.every((name) => at(example, name) !== undefined)),
    );

    expect(wrong).toEqual([]);
    expect(errors.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([
      "session-verification-settings-get 404",
    ]);
  });

  test("of health is healthy with 200, and has a reason with 503", () => {
    const of = (status: number) => answers.find(({ name }) => name === `service-health ${status}`)?.example;

    expect(of(200)).toEqual({ healthy: true });
    expect(of(503)).toEqual({ healthy: false, reason: expect.any(String) as never });
  });
});

describe("the document says", () => {
  const schemas = Object.entries(member(published, "components", "schemas"));

  test("what every field of every record and every parameter means", () => {
    const parameters = described.flatMap(({ name, parameters: all }) =>
      all.map((one) => [`${name} ${String(one["name"])}`, one] as const),
    );
    const fields = schemas.flatMap(([name, schema]) => fieldsIn(schema, [name]));
    const without = [...parameters, ...fields].filter(
      ([, { description: text }]) => typeof text !== "string",
    );

    expect(fields.length).toBeGreaterThan(600);
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test("what a field means only for fields that exist", () => {
    const paths = schemas.flatMap(([name, schema]) => fieldsIn(schema, [name])).map(([path]) => `.${path}`);

    expect(FIELD_NAMES.filter((name) => !paths.some((path) => path.endsWith(`.${name}`)))).toEqual([]);
  });

  test("patterns that engines without lookaround compile", () => {
    const patterns = [...text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, source]) =>
      String(JSON.parse(`"${source}"`)),
    );

    expect(patterns.length).toBeGreaterThan(20);
    // What RE2, Go, Rust and Hyperscan do not have: lookaround, references to groups, atomic groups.
    expect([...new Set(patterns)].filter((one) => /\(\?(?!:)|\\[1-9k]/.test(one))).toEqual([]);
  });

  test("the form of addresses and times, and the values of formats and slugs", () => {
    const fields = schemas.flatMap(([name, schema]) => fieldsIn(schema, [name]));
    const faults = fields.flatMap(([path, { type, format, enum: values }]) => {
      const name = path.split(".").at(-1) ?? "";
      const isAddress = /^(url|next_uri|redirect_uri|issuer|\w+_ur[il])$/.test(name);
      const due = name.endsWith("_at") ? "date-time" : isAddress ? "uri" : undefined;
      if (type !== "string" || values !== undefined || due === undefined) return [];
      return format === due ? [] : [`${path} has the format ${String(format)}`];
    });
    const listing = described.find(({ id }) => id === "tools-list-formatted");

    // Without a zone, it is UTC.
    expect(faults).toEqual(["ExecuteToolRequest.run_at has the format undefined"]);
    expect(listing?.parameters.find(({ name }) => name === "format")?.["schema"]).toMatchObject({
      enum: [...FORMATS],
    });
    expect(member(published, "components", "schemas", "SlugInfoRequest", "properties", "slug")).toMatchObject(
      {
        pattern: "^[a-z0-9_-]{1,256}$",
      },
    );
  });
});

/** Every field of a record, and of what is inside of it, by its path. */
function fieldsIn(schema: unknown, path: readonly string[]): [path: string, schema: JsonObject][] {
  if (!isObject(schema)) return [];
  const inner = ["items", "additionalProperties", "propertyNames"].map((key) => schema[key]);
  const alternatives = ["anyOf", "oneOf", "allOf"].flatMap((key) => schema[key] ?? []);
  const properties = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {});
  return [
    ...properties.map(([name, one]): [string, JsonObject] => [[...path, name].join("."), member(one)]),
    ...properties.flatMap(([name, one]) => fieldsIn(one, [...path, name])),
    ...[...inner, ...alternatives].flatMap((one) => fieldsIn(one, path)),
  ];
}

describe("a judge made of the document", () => {
  test.each<[string, number, unknown, string[] | undefined]>([
    ["/v1/health", 200, { healthy: true }, []],
    ["/v1/health", 200, { healthy: "yes" }, ["/healthy must be boolean"]],
    ["/v1/health", 418, {}, ["status 418 is not declared"]],
    ["/v1/swagger", 304, {}, ["a body, and none is declared"]],
    ["/v1/nowhere", 200, {}, undefined],
    ["/v1/tools/Chat.WhoAmI", 400, { name: "x" }, [" must have required properties message"]],
  ])("finds the faults of %s %i", (path, status, body, faults) => {
    expect(answerFaults("GET", path, status, body)).toEqual(faults as string[]);
  });
});

test("the server answers the same document at both addresses", async () => {
  await using own = await startOwn([], { RUNTIME_PUBLIC_URL: PUBLIC_URL });
  const [one, other] = await Promise.all(
    ["/openapi.json", "/v1/swagger"].map((path) => fetch(own.url + path)),
  );

  expect(one?.headers.get("content-type")).toBe("application/json");
  expect(await one?.json()).toEqual(published);
  expect(await other?.json()).toEqual(published);
  expect(Object.keys(description)).toEqual(Object.keys(published));
  expect(text).not.toContain("/v1/admin/keys");
});

test("every answer has the whole document: the first ones at the same time, and later ones", async () => {
  await using own = await startOwn([], { RUNTIME_PUBLIC_URL: PUBLIC_URL });
  const ask = async (path: string): Promise<unknown> => (await fetch(own.url + path)).json();
  const paths = ["/openapi.json", "/v1/swagger", "/openapi.json", "/v1/swagger"];

  const first = await Promise.all(paths.map(ask));
  const later = await Promise.all(paths.map(ask));

  expect([...first, ...later]).toEqual(Array.from({ length: 8 }, () => published));
});

function parametersOf(id: string): unknown[] {
  return described.find((one) => one.id === id)?.parameters.map(({ name }) => name) ?? [];
}
