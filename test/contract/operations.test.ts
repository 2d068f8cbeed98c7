// The API description against the published contract (`operations.json`): operation ids, statuses, queries, records.
import { describe, expect, test } from "bun:test";
import { operations } from "../../server/operations";
import { isObject } from "../../src/base";
import {
  describedOperations,
  type DescribedOperation,
  member,
  resolved,
  schemaOf,
} from "../support/described";
import contract from "./operations.json";

interface Published {
  operationId: string;
  statuses: string[];
  query: string[];
  records: string[];
}

const published: Readonly<Record<string, Published>> = contract;
const FREE_FORM = ["ArbitraryObject", "OpenApiDocument"];

describe("the published contract", () => {
  test("names no operation id twice", () => {
    const ids = Object.values(published).map(({ operationId }) => operationId);

    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is completely served; PUT of a secret is an undocumented alias", () => {
    const served = describedOperations.map(({ id }) => id);
    const missing = Object.values(published).filter(({ operationId }) => !served.includes(operationId));

    expect(missing.map(({ operationId }) => operationId)).toEqual(["secrets-upsert-put"]);
    expect(operations.find(({ id }) => id === "secrets-upsert")?.alias).toBe("PUT");
  });
});

describe.each(describedOperations.map((one) => [one.name, one] as const))("%s", (name, operation) => {
  test("is published under this id", () => {
    expect(operation.id).toBe(published[name]?.operationId ?? "in neither: add it to operations.json");
  });

  test("takes the published query", () => {
    const query = operation.parameters.filter((one) => one["in"] === "query").map((one) => one["name"]);

    expect(query.toSorted()).toEqual((published[name]?.query ?? []).toSorted());
  });

  test("declares the published statuses, those of credentials and bodies, and no others", () => {
    const declared = Object.keys(member(operation.object, "responses"));
    const due = [...(published[name]?.statuses ?? []), ...dueBesides(operation)];
    const allowed = [...due, ...allowedBesides(operation)];

    expect(due.filter((status) => !declared.includes(status))).toEqual([]);
    expect(declared.filter((status) => !allowed.includes(status))).toEqual([]);
  });

  test("accepts and returns the published records", () => {
    const records = [operation.object["requestBody"], success(operation)].flatMap(recordOf);
    const due = published[name]?.records ?? [];

    expect(due.filter((record) => !records.includes(record))).toEqual([]);
    expect(records.filter((record) => due.length > 0 && !due.includes(record))).toEqual([]);
    // Where nothing is published, the answer has no fixed form or is empty.
    if (due.length === 0) for (const record of records) expect(OWN_RECORDS).toContain(record);
  });
});

/** Records of answers that the contract does not name. */
const OWN_RECORDS = [...FREE_FORM, "ToolExecutionDetail", "ModelList"];

function dueBesides({ open, path, body }: DescribedOperation): string[] {
  return [
    ...(open ? [] : ["401", "403"]),
    ...(/\{(\w+_)?id\}$/.test(path) && !path.startsWith("/v1/scheduled_tools") ? ["404"] : []),
    // Not published, but clients take an unknown worker to be 404.
    ...(path.startsWith("/v1/workers/{id}/") ? ["404"] : []),
    ...(body === undefined ? [] : ["400", "413", "415"]),
  ];
}

function allowedBesides({ name, path, parameters, open }: DescribedOperation): string[] {
  const tagged = parameters.some((one) => one["name"] === "If-None-Match");
  return [
    "429",
    // The database cannot be used.
    "503",
    // An id that is too long.
    ...(path.startsWith("/v1/workers/{id}") ? ["400"] : []),
    // An invalid page size or offset.
    ...(parameters.some((one) => one["name"] === "limit") ? ["400"] : []),
    ...(tagged ? ["304"] : []),
    // `If-Match` and `If-None-Match`.
    ...(tagged || (!open && !name.startsWith("GET ")) ? ["412"] : []),
    ...(path.includes("{org_id}") ? ["404"] : []),
    // A browser is redirected to the page.
    ...(path === "/v1/swagger" ? ["303"] : []),
  ];
}

function success({ object }: DescribedOperation): unknown {
  const [, response] = Object.entries(member(object, "responses")).find(([status]) => status < "300") ?? [];
  return response;
}

/** The name of the record in a request or response; for a page, the record of its items. */
function recordOf(content: unknown): string[] {
  const schema = schemaOf(resolved(content) ?? {});
  const reference = isObject(schema) ? schema["$ref"] : undefined;
  if (typeof reference !== "string") return schema === undefined ? [] : ["a schema without a name"];
  return [reference.replace("#/components/schemas/", "").replace(/^OffsetPageOf/, "")];
}
