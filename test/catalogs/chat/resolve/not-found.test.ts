// Names that look like one that was not found.
import { expect, test } from "bun:test";
import { closest } from "../../../../catalogs/chat/resolve/not-found";

const names = (wanted: string[], known: (string | null)[], count = 100) =>
  closest(wanted, known, (name) => [name], count);

test("the name that was mistyped comes first", () => {
  expect(names(["genral"], ["random", "general", "generators"])[0]).toBe("general");
});

test("each wanted name gets similar ones", () => {
  const found = names(["alise", "bobb"], ["zed", "bob", "alice"], 2);
  expect(found.toSorted()).toEqual(["alice", "bob"]);
});

test("at most the requested number is returned, also for names of one letter or none", () => {
  expect(names(["a"], ["a", null, "", "b"], 2)).toEqual(["a", null]);
});
