// What the chat catalog declares. The values are those that users are asked to grant and that listings show.
import { describe, expect, test } from "bun:test";
import { catalogs } from "../../../catalogs";
import { chatCatalog } from "../../../catalogs/chat";
import { tool } from "./run";

const READ_CONVERSATIONS = ["channels:read", "groups:read", "mpim:read", "im:read"];
const READ_USERS = ["users:read", "users:read.email"];

test("the catalog is one of those that the runtime ships", () => {
  expect(catalogs).toContain(chatCatalog);
  expect(chatCatalog.toolkit).toMatchObject({ name: "Chat", version: "1.0.0" });
  expect(chatCatalog.bases).toEqual({ api: { url: "https://slack.com/api/", setting: "chat.api_url" } });
});

test("every tool needs a grant at the preset's provider and tells its metadata", () => {
  for (const { authorization, metadata, description } of chatCatalog.tools) {
    expect(authorization?.provider).toBe("slack");
    expect(metadata.classification).toEqual({ service_domains: ["messaging"] });
    expect(metadata.behavior.open_world).toBe(true);
    expect(description.length).toBeGreaterThan(20);
  }
});

test("every parameter has a description", () => {
  for (const { input } of chatCatalog.tools) {
    for (const schema of Object.values(input.properties)) expect(schema).toHaveProperty("description");
  }
});

describe("WhoAmI", () => {
  test("reads people", () => {
    const { authorization, metadata, input } = tool("WhoAmI");
    expect(authorization?.scopes).toEqual(READ_USERS);
    expect(metadata.behavior).toMatchObject({ operations: ["read"], read_only: true, idempotent: true });
    expect(input.properties).toEqual({});
  });
});

describe("SendMessage", () => {
  test("declares what reads conversations and people, posts, and opens conversations with one or several", () => {
    const { authorization } = tool("SendMessage");
    expect(authorization?.scopes.toSorted()).toEqual(
      [...READ_CONVERSATIONS, ...READ_USERS, "chat:write", "im:write", "mpim:write"].toSorted(),
    );
  });

  test("creates something new each time", () => {
    expect(tool("SendMessage").metadata.behavior).toEqual({
      operations: ["create"],
      read_only: false,
      destructive: false,
      idempotent: false,
      open_world: true,
    });
  });

  test("takes a message and the selectors", () => {
    const { input } = tool("SendMessage");
    expect(Object.keys(input.properties).toSorted()).toEqual([
      "channel_name",
      "conversation_id",
      "emails",
      "message",
      "user_ids",
      "usernames",
    ]);
    expect(input.required).toEqual(["message"]);
  });
});
