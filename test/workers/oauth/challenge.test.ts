// Reads the challenges of workers.
import { describe, expect, test } from "bun:test";
import { parseChallenge } from "../../../src/workers/oauth/challenge";
import { growsTooFast } from "../../support/growth";

describe("a challenge", () => {
  test.each([
    ['Bearer resource_metadata="https://a.example/m"', { resourceMetadata: "https://a.example/m" }],
    [
      'Bearer realm="x, y", error="insufficient_scope", scope="a b a"',
      { error: "insufficient_scope", scopes: ["a", "b"] },
    ],
    ["bearer  resource_metadata = https", { resourceMetadata: "https" }],
    ['Basic realm="b", Bearer scope="a"', { scopes: ["a"] }],
    ['Negotiate abc==, Bearer scope="a", Basic scope="b"', { scopes: ["a"] }],
    ['Bearer scope="a", scope="b"', { scopes: ["a"] }],
    ['Bearer scope="say \\"a\\""', { scopes: ["say", '"a"'] }],
    ['Basic resource_metadata="https://a.example/m"', {}],
    ['Bearer resource_metadata="", scope=""', {}],
    ["Bearer", {}],
    ["", {}],
    [undefined, {}],
    ['Bearer scope="never ends', {}],
  ])("%s", (header, expected) => {
    expect(parseChallenge(header)).toEqual(expected);
  });

  test.each([["a "], ['a="'], ['Bearer a="\\"'], ["Bearer a,"], ["Bearer a=, "]])(
    "takes linear time on many of %j",
    (piece) => {
      expect(growsTooFast((size) => () => parseChallenge(piece.repeat(size)))).toBeUndefined();
    },
  );
});
