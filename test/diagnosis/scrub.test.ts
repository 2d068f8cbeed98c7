// The last guard over every text of a bundle.
import { expect, test } from "bun:test";
import { Scrubber } from "../../src/diagnosis";

const scrubber = new Scrubber({
  secrets: ["s3cr3t-of-a-variable", "ab"],
  paths: new Map([
    ["/home/alice", "home"],
    ["/home/alice/data", "data_dir"],
  ]),
});

test.each([
  ["a value of a variable", "it is s3cr3t-of-a-variable.", "it is [hidden]."],
  ["no short value, which is a word", "about", "about"],
  ["the longest path", "/home/alice/data/runtime.db in /home/alice", "<data_dir>/runtime.db in <home>"],
  [
    "an address, but its host",
    "see https://host.example:8443/hook/t0ken?x=1#y.",
    "see https://host.example:8443/[hidden].",
  ],
  [
    "user and password of an address",
    "postgres://me:pass@db.example/x",
    "postgres://[hidden]@db.example/[hidden]",
  ],
  ["nothing of a bare address", "at http://127.0.0.1:9099, now", "at http://127.0.0.1:9099, now"],
  ["an address that is not one", "https://[nonsense", "[hidden]"],
  ["a bearer token", "Authorization: Bearer abc.def-ghi", "Authorization: Bearer [hidden]"],
  ["no word after bearer", "the bearer of it", "the bearer of it"],
  ["an API key", "key rt_abcdefgh123", "key [hidden]"],
  [
    "a private key",
    "x -----BEGIN PRIVATE KEY-----\\nMIIabc\\n-----END PRIVATE KEY-----",
    "x [hidden]-----END PRIVATE KEY-----",
  ],
  ["an identity of age", "AGE-SECRET-KEY-1QQQ", "[hidden]"],
  ["the address of a consent", "/authorize/abcdef", "/authorize/[hidden]"],
  ["values of a query", "GET /callback?code=abc&state=def", "GET /callback?code=[hidden]&state=[hidden]"],
  [
    "what is called a secret",
    '{"password":"hunter2","api_key": "k"}',
    '{"password":"[hidden]","api_key": "[hidden]"}',
  ],
  ["a long word with digits", `hash ${"a1".repeat(20)}`, "hash [hidden]"],
  ["no long word without", "x".repeat(50), "x".repeat(50)],
  ["no id of ours", "te_01a22a2c5765c7f10bfe837e3d2ba7d3", "te_01a22a2c5765c7f10bfe837e3d2ba7d3"],
])("hides %s", (_what, given, shown) => {
  expect(scrubber.text(given)).toBe(shown);
});

test("reaches every text of a value, and leaves the rest", () => {
  const given = { one: ["s3cr3t-of-a-variable", 1, null, true], two: { three: "/home/alice/x" } };
  expect(scrubber.value(given)).toEqual({ one: ["[hidden]", 1, null, true], two: { three: "<home>/x" } });
});
