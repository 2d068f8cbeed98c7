// The order of versions: examples of semver.org, and versions that people write all the same.
import { expect, test } from "bun:test";
import { newestFirst } from "../../src/tools/registry";

test.each([
  [["1.10.0", "1.9.0", "1.2.0"]],
  [["2.0.0", "1.99.99", "1.0.1", "1.0.0", "0.9.9"]],
  [
    [
      "1.0.0",
      "1.0.0-rc.1",
      "1.0.0-beta.11",
      "1.0.0-beta.2",
      "1.0.0-beta",
      "1.0.0-alpha.beta",
      "1.0.0-alpha.1",
      "1.0.0-alpha",
    ],
  ],
  [["2.0.0-rc.1", "1.10.0"]],
  [["1.0.1", "1.0.0+build.9", "1.0.0+build.5"]],
  [["0.0.0", "2024-01", "2023-12"]],
  [["10", "9"]],
])("newest first: %p", (versions) => {
  for (let turn = 0; turn < versions.length; turn++) {
    const given = [...versions.slice(turn), ...versions.slice(0, turn)];
    expect(given.toSorted(newestFirst)).toEqual(versions);
    expect(given.toReversed().toSorted(newestFirst)).toEqual(versions);
  }
});
