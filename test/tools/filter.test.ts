// The metadata filter of tool listings.
import { describe, expect, test } from "bun:test";
import type { ToolMetadata } from "../../src/tools";
import { parseFilter } from "../../src/tools/filter";

const metadata: ToolMetadata = {
  classification: { service_domains: ["messaging", "Documents"] },
  behavior: {
    operations: ["read", "update"],
    read_only: false,
    destructive: false,
    idempotent: true,
    open_world: true,
  },
  extras: { team: "Blue", level: 3, nested: { a: [1, 2] }, none: null },
};
const { classification: _, extras: __, ...bare } = metadata;

describe("matches", () => {
  test.each<[string, unknown]>([
    ["nothing asked", {}],
    ["a list, any of", { service_domains: ["crm", "messaging"] }],
    ["without case", { service_domains: ["MESSAGING"], operations: ["Read"] }],
    ["any_of", { operations: { any_of: ["create", "update"] } }],
    ["all_of", { operations: { all_of: ["read", "update"] } }],
    ["none_of", { operations: { none_of: ["delete"] } }],
    ["all three", { operations: { any_of: ["read"], all_of: ["update"], none_of: ["create"] } }],
    ["an empty all_of", { operations: { all_of: [] } }],
    ["a flag that is on", { idempotent: true, open_world: true }],
    ["a flag that is off", { read_only: false, destructive: false }],
    ["extras", { extras: { team: "Blue" } }],
    ["several extras, deep", { extras: { level: 3, nested: { a: [1, 2] }, none: null } }],
    ["no extras asked", { extras: {} }],
    ["everything together", { service_domains: ["messaging"], idempotent: true, extras: { level: 3 } }],
  ])("%s", (_name, filter) => {
    expect(parseFilter(JSON.stringify(filter))(metadata)).toBe(true);
  });
});

describe("does not match", () => {
  test.each<[string, unknown]>([
    ["another domain", { service_domains: ["crm"] }],
    ["an empty list", { service_domains: [] }],
    ["all_of with one missing", { operations: { all_of: ["read", "delete"] } }],
    ["none_of with one there", { operations: { none_of: ["READ"] } }],
    ["a flag the other way", { read_only: true }],
    ["extras in another case", { extras: { team: "blue" } }],
    ["extras of another type", { extras: { level: "3" } }],
    ["extras in part", { extras: { nested: { a: [1] } } }],
    ["extras that are not there", { extras: { missing: null } }],
    ["extras of the prototype", { extras: { constructor: {} } }],
    ["one condition of several", { idempotent: true, service_domains: ["crm"] }],
  ])("%s", (_name, filter) => {
    expect(parseFilter(JSON.stringify(filter))(metadata)).toBe(false);
  });
});

describe("a tool without the metadata", () => {
  test.each<[string, unknown, boolean]>([
    ["any_of", { service_domains: ["messaging"] }, false],
    ["all_of", { service_domains: { all_of: ["messaging"] } }, false],
    ["none_of", { service_domains: { none_of: ["messaging"] } }, true],
    ["extras", { extras: { team: "Blue" } }, false],
  ])("and %s", (_name, filter, expected) => {
    expect(parseFilter(JSON.stringify(filter))(bare)).toBe(expected);
  });
});

describe("is refused:", () => {
  test.each([
    ["", "not valid JSON"],
    ["{", "not valid JSON"],
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ['"text"', "must be a JSON object"],
    ['{"unknown":true}', 'unknown key "unknown"'],
    ['{"__proto__":true}', "unknown key"],
    ['{"READ_ONLY":true}', "unknown key"],
    ['{"read_only":"true"}', "read_only must be true or false"],
    ['{"read_only":null}', "read_only must be true or false"],
    ['{"service_domains":"messaging"}', "must be a list or an object of lists"],
    ['{"service_domains":[1]}', "must contain lists of texts"],
    ['{"operations":{"any_of":"read"}}', "must contain lists of texts"],
    ['{"operations":{"some_of":["read"]}}', "any_of, all_of and none_of"],
    ['{"extras":["team"]}', "extras must be an object"],
  ])("%s", (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
});
