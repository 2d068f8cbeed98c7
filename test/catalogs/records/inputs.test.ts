// Inputs that are refused before anything is sent, and odd ones that must arrive as they are.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ToolErrorKind } from "../../../src/tools";
import { Platform } from "./platform";
import { ALL, MODES, named, PUBLISHED_READS, READS, type Row, rowOf } from "./rows";
import { failureOf, type Input, tool, type User } from "./run";

let platform: Platform;
let alice: User;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => {
  platform.fresh();
  alice = platform.alice();
});
afterAll(() => platform.sandbox.stop());

const OPTIONAL = ["mode", "request_body"];
/** Every parameter that names a place: tool, parameter. */
const PLACES: [string, string][] = ALL.flatMap(({ tool: name, input }) =>
  Object.keys(input)
    .filter((key) => !OPTIONAL.includes(key))
    .map((key): [string, string] => [name, key]),
);
const KEYS = ["vendor_private_link", "application_private_link", "form_private_link"];
const SEGMENTS = PLACES.filter(([, name]) => !KEYS.includes(name));

/** The refusal's kind: tools with a mode say how to mend it. */
function kindOf(name: string): ToolErrorKind {
  return MODES.some((row) => row.tool === name) ? "TOOL_RUNTIME_RETRY" : "TOOL_RUNTIME_BAD_INPUT_VALUE";
}

async function expectRefusal(name: string, changes: Input, named: string): Promise<void> {
  const error = await alice.failure(name, { ...rowOf(name).input, ...changes });
  expect(error.kind).toBe(kindOf(name));
  expect(error.message).toContain(named);
  expect(error.details.statusCode).toBe(400);
  expect(platform.sandbox.calls()).toBe(0);
}

describe("parameters of the address are required", () => {
  test.each(PLACES)("%s without %s", async (name, parameter) => {
    const error = await alice.failure(name, { ...rowOf(name).input, [parameter]: null });
    expect(error.kind).toBe(kindOf(name));
    expect(error.message).toContain(parameter);
    expect(platform.sandbox.calls()).toBe(0);
  });

  test.each(PLACES)("%s with an empty %s", async (name, parameter) => {
    await expectRefusal(name, { [parameter]: "" }, parameter);
    await expectRefusal(name, { [parameter]: " " }, parameter);
  });

  test("all missing ones are named at once", async () => {
    const error = await alice.failure("UpdateVendorRecord", { mode: "execute" });
    for (const name of Object.keys(rowOf("UpdateVendorRecord").input)) {
      if (!OPTIONAL.includes(name)) expect(error.message).toContain(name);
    }
    expect(error).toMatchObject({ canRetry: true });
    expect(error.details.additionalPromptContent).toContain("`record_id`");
  });
});

describe("a segment is one segment", () => {
  test.each(SEGMENTS)("%s refuses dots as %s: they would change the address", async (name, parameter) => {
    await expectRefusal(name, { [parameter]: "." }, parameter);
    await expectRefusal(name, { [parameter]: ".." }, parameter);
  });

  test.each(SEGMENTS)("%s refuses half a character as %s", async (name, parameter) => {
    await expectRefusal(name, { [parameter]: "a\ud800" }, parameter);
  });

  const ODD = [
    "../../meta/applications",
    "a?privatelink=x",
    "a#f",
    "a/b",
    "100%",
    "%2e%2e",
    "a b+c&d=e",
    "日本 é",
    "a\\b",
    "…",
  ];

  test.each(SEGMENTS)("%s sends odd text as one encoded %s", async (name, parameter) => {
    const row = rowOf(name);
    for (const text of ODD) {
      platform.sandbox.clearRequests();
      await alice.run(name, { ...row.input, [parameter]: text }).catch(() => undefined);
      const [request, ...others] = platform.sandbox.requests;
      expect(others).toEqual([]);
      expect({ text, route: request?.route, method: request?.method }).toEqual({
        text,
        route: row.route,
        method: row.method,
      });
      expect(request?.path).toContain(text);
      expect(request?.query.map(([sent]) => sent)).toEqual(row.scope === undefined ? ["privatelink"] : []);
    }
  });

  test("an id that is text stays text", async () => {
    await alice
      .run("FetchVendorRecordDetail", { ...rowOf("FetchVendorRecordDetail").input, record_id: "00012" })
      .catch(() => undefined);
    expect(platform.sandbox.requests[0]?.path.at(-1)).toBe("00012");
  });
});

describe("positions and limits", () => {
  const LISTS: [string, string, string][] = [
    ["FetchVendorRecords", "start_record_index", "record_limit"],
    ["FetchVendorReportRecords", "record_fetch_start_index", "record_limit"],
  ];

  test.each(LISTS)("%s refuses positions below 1 and limits outside 1 to 200", async (name, from, limit) => {
    for (const [parameter, value] of [
      [from, 0],
      [from, -1],
      [from, "0"],
      [from, 1.5],
      [from, "1.5"],
      [from, true],
      [from, "first"],
      [limit, 0],
      [limit, 201],
      [limit, "201"],
      [limit, 50.5],
      [limit, [50]],
    ] as const) {
      const error = await alice.failure(name, { ...rowOf(name).input, [parameter]: value });
      expect({ value, kind: error.kind }).toEqual({ value, kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" });
      expect(error.message).toContain(parameter);
    }
    expect(platform.sandbox.calls()).toBe(0);
  });

  test.each(["yes", 1, "TRUE", "1", {}])("a flag is true or false, not %j", async (value) => {
    const row = rowOf("DeleteReportRecords");
    const error = await alice.failure(row.tool, { ...row.input, process_records_up_to_limit: value });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" });
    expect(error.message).toContain("process_records_up_to_limit");
    expect(platform.sandbox.calls()).toBe(0);
  });

  test("an unknown parameter is refused with a guess", async () => {
    const error = await alice.failure("FetchVendorRecords", {
      ...rowOf("FetchVendorRecords").input,
      limit: 5,
    });
    expect(error.message).toContain("record_limit");
    expect(platform.sandbox.calls()).toBe(0);
  });
});

describe("private links", () => {
  const rows: Row[] = [...PUBLISHED_READS, ...MODES].filter(({ scope }) => scope === undefined);
  const keyOf = (row: Row): string => Object.keys(row.input).find((name) => KEYS.includes(name)) ?? "";

  test.each(named(rows))("%s refuses a whole published address without repeating it", async (name, row) => {
    const key = keyOf(row);
    for (const address of [
      "https://creatorapp.zohopublic.com/acme/inventory/report-perma/All_Products/secretKey",
      "acme/inventory/secretKey",
      "secretKey?zc=1",
      "https:secretKey",
    ]) {
      await expectRefusal(name, { [key]: address }, key);
      const error = await alice.failure(name, { ...row.input, [key]: address });
      expect(error.message).not.toContain("secretKey");
    }
  });

  test.each(named(rows))("%s masks the key everywhere in the platform's answer", async (name, row) => {
    const { route } = row;
    const key = String(row.input[keyOf(row)]);
    platform.sandbox.fail(route, { kind: "refuse", status: 403, code: 2898, text: `Not under ${key}, no.` });
    const error = await alice.failure(name, row.input);
    expect(error.message).toContain("[private link]");
    expect(JSON.stringify([error.message, error.details])).not.toContain(key);
  });

  test("a key with characters that are encoded is masked in both forms", async () => {
    const key = "k+y=1&%2";
    const text = `Not ${key}, not ${encodeURIComponent(key)}.`;
    platform.sandbox.fail("publish.list", { kind: "refuse", status: 403, code: 2898, text });
    const { input } = rowOf("FetchVendorReportRecords");
    const error = await alice.failure("FetchVendorReportRecords", { ...input, vendor_private_link: key });
    expect(platform.sandbox.requests[0]?.query).toEqual([["privatelink", key]]);
    expect(error.message).toContain("Not [private link], not [private link].");
    expect(JSON.stringify(error.details)).not.toContain("k%2By");
  });

  test.each(named(rows))("%s: a wrong key does not affect a grant", async (name, row) => {
    const error = await alice.failure(name, row.input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST", name: "ToolError" });
    expect(error.message).toContain("private link");
    for (const code of [1030, 2945]) {
      platform.sandbox.fail(row.route, { kind: "refuse", status: 401, code, textIn: "description" });
      const refused = await alice.failure(name, row.input);
      expect(refused.constructor.name).toBe("ToolError");
      expect(refused.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
    }
  });
});

describe("criteria are sent unchanged", () => {
  const NAMES = ["A&B #1 100%", "p.daly+demo1@x.com", "Ünï – 日本", 'q"uo\\te', "a;b,c<d>e|f ' g", "%20 %2B"];
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

  test.each(NAMES)("%s", async (name) => {
    platform.sandbox.add("us", "Products", [{ Name: name, SKU: "X" }]);
    const criteria = `Name == ${quoted(name)} && SKU == "X"`;
    for (const row of [rowOf("FetchVendorRecords"), PUBLISHED_READS[0] ?? rowOf("FetchVendorRecords")]) {
      const { input } = await platform.live(row, alice);
      const output = await alice.run(row.tool, { ...input, filter_criteria: criteria });
      expect(output).toMatchObject({ response_json: { data: [{ Name: name }] } });
    }
    expect(platform.sandbox.requests.at(-1)?.query.at(-1)).toEqual(["criteria", criteria]);
  });

  test("single quotes are not made double, and the platform's refusal is shown", async () => {
    const criteria = "Name == 'Lamp'";
    const error = await alice.failure("FetchVendorRecords", {
      ...rowOf("FetchVendorRecords").input,
      filter_criteria: criteria,
    });
    expect(platform.sandbox.requests[0]?.query).toEqual([["criteria", criteria]]);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST" });
    expect(error.message).toContain("code 3090");
  });

  test("half a character is refused", async () => {
    const error = await alice.failure("FetchVendorRecords", {
      ...rowOf("FetchVendorRecords").input,
      filter_criteria: "\ud800",
    });
    expect(error.message).toContain("filter_criteria");
  });
});

test("other types are not converted to text", async () => {
  for (const { tool: name, input } of READS) {
    for (const parameter of Object.keys(input)) {
      const error = await failureOf(alice.run(name, { ...input, [parameter]: { a: 1 } }));
      expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" });
      expect(error.message).toContain(parameter);
    }
    expect(tool(name).clamps).toBeUndefined();
  }
  expect(platform.sandbox.calls()).toBe(0);
});
