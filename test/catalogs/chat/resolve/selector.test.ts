// The one-of rule, which is checked before anything is sent.
import { describe, expect, test } from "bun:test";
import { ToolError } from "../../../../src/tools";
import { type SelectorInput, selectorOf } from "../../../../catalogs/chat/resolve/selector";

function refused(input: SelectorInput): string {
  try {
    selectorOf(input);
  } catch (error) {
    if (error instanceof ToolError && error.kind === "TOOL_RUNTIME_BAD_INPUT_VALUE") return error.message;
    throw error;
  }
  return "accepted";
}

describe("none or several", () => {
  test.each<[string, SelectorInput, string]>([
    ["nothing", {}, "None was given"],
    ["blank texts", { conversation_id: " ", channel_name: "" }, "None was given"],
    ["empty lists", { user_ids: [], usernames: [], emails: [] }, "None was given"],
    ["lists of blanks", { user_ids: ["", " "], usernames: ["@", "  "] }, "None was given"],
    ["id and name", { conversation_id: "C1", channel_name: "general" }, "2 were given"],
    ["id and people", { conversation_id: "C1", usernames: ["ada"] }, "2 were given"],
    ["name and people", { channel_name: "general", emails: ["ada@example.com"] }, "2 were given"],
    ["all", { conversation_id: "C1", channel_name: "general", user_ids: ["U1"] }, "3 were given"],
  ])("%s is refused with the rule", (_, input, text) => {
    expect(refused(input)).toContain("Give exactly one of: `conversation_id`; `channel_name`");
    expect(refused(input)).toContain(text);
  });
});

test.each<[string, SelectorInput, ReturnType<typeof selectorOf>]>([
  ["an id", { conversation_id: " C1 ", channel_name: " " }, { kind: "id", id: "C1" }],
  ["a name", { channel_name: "#general", user_ids: [] }, { kind: "channel", name: "#general" }],
  [
    "people of all kinds, each once",
    {
      user_ids: ["U1", " U1 ", ""],
      usernames: ["@Ada", "ada "],
      emails: ["Ada@Example.com", "ada@example.com"],
    },
    { kind: "people", people: { userIds: ["U1"], usernames: ["@Ada"], emails: ["Ada@Example.com"] } },
  ],
])("%s", (_, input, selector) => {
  expect(selectorOf(input)).toEqual(selector);
});

test("all invalid addresses are named", () => {
  const wrong = ["ada", "ada@example", "ada@example.c", "a da@example.com", "ada@@example.com", "ada@.com"];
  const message = refused({ emails: [...wrong, "ada@example.com"] });
  for (const text of wrong) expect(message).toContain(text);
  expect(message).not.toContain("ada@example.com.");
});

test.each(["ada+tag@mail.example.co.uk", "ada@bücher.example", "ада@пример.рф", "ada@example.xn--p1ai"])(
  "%s is an address",
  (email) => {
    expect(refused({ emails: [email] })).toBe("accepted");
  },
);
