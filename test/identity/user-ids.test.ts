// Which user sources are reported as ambiguous.
import { describe, expect, test } from "bun:test";
import { ambiguousSources } from "../../src/identity";
import { load } from "../config/home";

const source = (id: string, user_prefix?: string) => ({
  id,
  issuer: `https://${id}.test`,
  audience: "tools",
  ...(user_prefix === undefined ? {} : { user_prefix }),
});
const found = (sources: object[], own?: string): string[] =>
  ambiguousSources(
    load(undefined, {
      RUNTIME_USER_SOURCES: JSON.stringify(sources),
      ...(own === undefined ? {} : { RUNTIME_AUTH_URL: own }),
    }).settings,
  );

describe("sources whose user ids may clash with those of another provider are", () => {
  test.each<[string, object[], string | undefined, string[]]>([
    ["none of none", [], "https://id.test", []],
    ["not the only provider", [source("a")], undefined, []],
    ["one next to the deployment's own provider", [source("a")], "https://id.test", ["a"]],
    ["both of two", [source("a"), source("b")], undefined, ["a", "b"]],
    ["none with a prefix", [source("a", "a:"), source("b", "b:")], "https://id.test", []],
    ["not the only one without", [source("a", "a:"), source("b")], undefined, []],
    ["none that are said to be the same people", [source("a", ""), source("b", "")], "https://id.test", []],
    ["the one of which that was not said", [source("a", ""), source("b")], undefined, ["b"]],
  ])("%s", (_what, sources, own, expected) => {
    expect(found(sources, own)).toEqual(expected);
  });
});
