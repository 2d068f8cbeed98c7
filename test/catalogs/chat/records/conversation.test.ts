// The record of a conversation, read from what the platform sends for each type.
import { describe, expect, test } from "bun:test";
import { Value } from "typebox/value";
import { ConversationMetadata, conversationMetadata } from "../../../../catalogs/chat/records/conversation";
import type { JsonObject } from "../../../../src/tools";

function read(conversation: JsonObject) {
  const record = conversationMetadata(conversation);
  expect(Value.Check(ConversationMetadata, record)).toBe(true);
  return record;
}

test("a public channel", () => {
  const channel = {
    id: "C1",
    name: "general",
    is_channel: true,
    is_private: false,
    is_archived: true,
    is_member: false,
    purpose: { value: "Everything", creator: "U1" },
    num_members: 7,
    topic: { value: "left out" },
  };
  expect(read(channel)).toEqual({
    id: "C1",
    name: "general",
    conversation_type: "public_channel",
    is_private: false,
    is_archived: true,
    is_member: false,
    purpose: "Everything",
    num_members: 7,
  });
});

test("a direct message, which has neither name nor count", () => {
  expect(read({ id: "D1", is_im: true, user: "U2", is_user_deleted: true })).toEqual({
    id: "D1",
    name: null,
    conversation_type: "im",
    is_private: true,
    is_archived: false,
    is_member: true,
    purpose: "",
    num_members: 2,
    user: "U2",
    is_user_deleted: true,
  });
});

test("a direct message without any fields", () => {
  expect(read({ id: "D1" })).toMatchObject({ user: null, is_user_deleted: null, num_members: 2 });
});

describe("the type", () => {
  test.each<[string, JsonObject, string]>([
    ["a group message says that it is a group", { is_group: true, is_mpim: true, is_channel: false }, "mpim"],
    ["a group message of old", { is_mpim: true, is_private: true, is_channel: true }, "mpim"],
    [
      "a newer private channel says that it is a channel",
      { is_channel: true, is_private: true, is_group: false },
      "private_channel",
    ],
    ["an older private channel", { is_group: true }, "private_channel"],
    ["a public channel", { is_channel: true, is_private: false }, "public_channel"],
    ["a direct message", { is_im: true, is_private: true }, "im"],
    [
      "all flags false",
      { is_channel: false, is_group: false, is_im: false, is_mpim: false },
      "public_channel",
    ],
    ["no flag, and the id of a channel", { id: "C1" }, "public_channel"],
    ["no flag, and the id of a direct message", { id: "D1" }, "im"],
    ["no flag, and the id of a group", { id: "G1" }, "private_channel"],
    ["flags that are none", { id: "X1", is_im: "yes", is_private: 1 }, "public_channel"],
  ])("%s", (_, conversation, type) => {
    expect(read({ id: "G9", ...conversation })).toMatchObject({ conversation_type: type });
  });
});

describe("the number of members", () => {
  test.each<[string, JsonObject, number | null]>([
    ["as told", { is_mpim: true, num_members: 4, name: "mpdm-a--b--c-1" }, 4],
    ["by the name of a group message", { is_mpim: true, name: "mpdm-ada--grace--mary-1" }, 3],
    ["by a name without a number", { is_mpim: true, name: "mpdm-ada--grace" }, 2],
    ["unknown for a group message of another name", { is_mpim: true, name: "lunch" }, null],
    ["unknown for a group message without a name", { is_mpim: true }, null],
    ["0 for a channel that does not tell", { is_channel: true }, 0],
    ["2 for a direct message, whatever is told", { is_im: true, num_members: 0 }, 2],
  ])("%s", (_, conversation, count) => {
    expect(read({ id: "C1", ...conversation })?.num_members).toBe(count);
  });
});

test("a record without an id is not a conversation", () => {
  expect(conversationMetadata({ name: "general" })).toBeUndefined();
});
