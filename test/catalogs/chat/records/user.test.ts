// The record of a person, read from what the platform sends.
import { expect, test } from "bun:test";
import { Value } from "typebox/value";
import { BasicUser, basicUser, isBot, shownName, unknownUser } from "../../../../catalogs/chat/records/user";
import type { JsonObject } from "../../../../src/tools";

const NOTHING = {
  name: null,
  is_bot: null,
  email: null,
  display_name: null,
  real_name: null,
  timezone: null,
};

function read(user: JsonObject): BasicUser {
  const record = basicUser(user);
  if (record === undefined) throw new Error("There is no id.");
  expect(Value.Check(BasicUser, record)).toBe(true);
  return record;
}

test("a person of the workspace", () => {
  const profile = { real_name: "Ada L.", display_name: "Countess", email: "ada@example.com", title: "x" };
  const user = {
    id: "U1",
    name: "ada",
    real_name: "Ada Lovelace",
    is_bot: false,
    tz: "Europe/London",
    profile,
  };
  expect(read(user)).toEqual({
    id: "U1",
    name: "ada",
    is_bot: false,
    email: "ada@example.com",
    display_name: "Countess",
    real_name: "Ada Lovelace",
    timezone: "Europe/London",
  });
});

test("a person of another organization has a real name in the profile only", () => {
  expect(read({ id: "U1", profile: { real_name: "Erin Example" } })).toEqual({
    ...NOTHING,
    id: "U1",
    real_name: "Erin Example",
  });
});

test("missing fields are null, and a record without an id is not a person", () => {
  expect(read({ id: "U1", name: null, tz: 5 })).toEqual({ ...NOTHING, id: "U1" });
  expect(unknownUser("U1")).toEqual({ ...NOTHING, id: "U1" });
  expect(basicUser({ name: "ada" })).toBeUndefined();
});

test.each([
  [{ name: "ada", display_name: "Countess", real_name: "Ada Lovelace" }, "ada"],
  [{ display_name: "Countess", real_name: "Ada Lovelace" }, "Countess"],
  [{ display_name: "", real_name: "Ada Lovelace" }, "Ada Lovelace"],
  [{}, null],
])("%p is called %p", (names, shown) => {
  expect(shownName({ ...NOTHING, id: "U1", ...names })).toBe(shown);
});

test.each([
  [{ id: "U1", is_bot: true }, true],
  [{ id: "USLACKBOT", is_bot: false }, true],
  [{ id: "U1", is_bot: false }, false],
  [{ id: "U1" }, false],
])("%p is a bot: %p", (user, bot) => {
  expect(isBot({ ...NOTHING, ...user })).toBe(bot);
});
