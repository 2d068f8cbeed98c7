// What the chat catalog declares: parameters as they were published, scopes that users are asked to grant, metadata
// that listings show.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import { chatCatalog } from "../../../catalogs/chat";
import { isObject } from "../../../src/tools";
import { tool } from "./run";

interface PublishedParameter {
  type: string;
  required: boolean;
  default?: unknown;
  maximum?: number;
}
interface PublishedTool {
  parameters: Record<string, PublishedParameter>;
  deprecated?: boolean;
  replacement?: string;
}
const contract = join(import.meta.dir, "..", "..", "contract", "catalog.json");
const published: Record<string, PublishedTool> = await Bun.file(contract).json();
const names = Object.keys(published).flatMap((name) => /^Chat\.(.+)$/.exec(name)?.[1] ?? []);

/** A definition as it was published. */
function publishedFormOf(name: string): PublishedTool {
  const { input, replacement, clamps = {} } = tool(name);
  const parameters = Object.entries(input.properties).map(([parameter, schema]) => [
    parameter,
    parameterOf(
      // The published maximum is the end of the range, which the schema does not advertise.
      isObject(schema) ? { ...schema, ...clamps[parameter] } : schema,
      input.required?.includes(parameter) === true,
    ),
  ]);
  return {
    parameters: Object.fromEntries(parameters),
    ...(replacement !== undefined && { deprecated: true, replacement }),
  };
}

function parameterOf(schema: unknown, required: boolean): PublishedParameter {
  if (!isObject(schema)) throw new Error("A parameter has no schema.");
  return {
    type: typeOf(schema),
    required,
    ...("default" in schema && { default: schema["default"] }),
    ...(typeof schema["maximum"] === "number" && { maximum: schema["maximum"] }),
  };
}

function typeOf({ type, items }: { [key: string]: unknown }): string {
  if (type !== "array" || !isObject(items)) return String(type);
  expect(items["type"]).toBe("string");
  return "enum" in items ? "enum:ConversationType" : "array";
}

test("the catalog is one of those that the runtime ships", () => {
  expect(extensions.catalogs).toContain(chatCatalog);
  expect(chatCatalog.toolkit).toMatchObject({ name: "Chat", version: "1.0.0" });
  expect(chatCatalog.bases).toEqual({ api: { url: "https://slack.com/api/", setting: "chat.api_url" } });
});

test("it has the tools that were published, and no others", () => {
  expect(names).toHaveLength(26);
  expect(chatCatalog.tools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test.each(names)("%s takes what was published", (name) => {
  expect(publishedFormOf(name)).toEqual(published[`Chat.${name}`] ?? { parameters: {} });
});

describe("parameters", () => {
  test("have descriptions", () => {
    for (const { input } of chatCatalog.tools) {
      for (const schema of Object.values(input.properties)) expect(schema).toHaveProperty("description");
    }
  });

  test("that are moved into a range advertise no range, and say so", () => {
    const clamping = chatCatalog.tools.filter(({ clamps }) => clamps !== undefined);
    expect(clamping).toHaveLength(4);
    for (const { input } of clamping) {
      expect(input.properties["limit"]).not.toHaveProperty("minimum");
      expect(input.properties["limit"]).not.toHaveProperty("maximum");
      expect(JSON.stringify(input.properties["limit"])).toContain("not refused");
    }
  });

  test.each(["ListConversations", "ListConversationsMetadata"])(
    "of %s: a single type is accepted instead of a list",
    (name) => {
      const { input, singles, skipsBlanks } = tool(name);
      expect(singles).toEqual(["conversation_types"]);
      expect(skipsBlanks).toEqual(["conversation_types"]);
      expect(input.properties["conversation_types"]).toMatchObject({
        items: {
          enum: [
            "public_channel",
            "private_channel",
            "multi_person_direct_message",
            "direct_message",
            "mpim",
            "im",
          ],
        },
      });
    },
  );
});

// Written by hand from the platform's method pages: what each tool calls, and the scopes that those calls take.
const R = ["channels:read", "groups:read", "mpim:read", "im:read"];
const U = ["users:read", "users:read.email"];
const H = ["channels:history", "groups:history", "mpim:history", "im:history"];
const SEND = [...R, ...U, "chat:write", "im:write", "mpim:write"];
const SCOPES: Record<string, string[]> = {
  WhoAmI: U,
  GetUsersInfo: U,
  ListUsers: U,
  SendMessage: SEND,
  GetUsersInConversation: [...R, ...U],
  GetMessages: [...R, ...U, ...H],
  GetConversationMetadata: [...R, ...U],
  ListConversations: R,
  GetUserInfoById: U,
  SendDmToUser: SEND,
  SendMessageToChannel: SEND,
  GetMembersInConversationById: [...R, ...U],
  GetMembersInChannelByName: [...R, ...U],
  GetMessagesInChannelByName: [...R, ...H, "users:read"],
  GetMessagesInConversationById: [...H, "users:read"],
  GetMessagesInDirectMessageConversationByUsername: ["im:history", "im:read", ...U],
  GetMessagesInMultiPersonDmConversationByUsernames: [
    "im:history",
    "im:read",
    ...U,
    "mpim:history",
    "mpim:read",
  ],
  ListConversationsMetadata: R,
  ListPublicChannelsMetadata: ["channels:read"],
  ListPrivateChannelsMetadata: ["groups:read"],
  ListGroupDirectMessageConversationsMetadata: ["mpim:read"],
  ListDirectMessageConversationsMetadata: ["im:read"],
  GetConversationMetadataById: [...R, ...U],
  GetChannelMetadataByName: [...R, ...U],
  GetDirectMessageConversationMetadataByUsername: [...R, ...U],
  GetMultiPersonDmConversationMetadataByUsernames: [...R, ...U],
};

describe("scopes", () => {
  test.each(names)("of %s", (name) => {
    const scopes = tool(name).authorization?.scopes ?? [];
    expect(scopes.toSorted()).toEqual((SCOPES[name] ?? []).toSorted());
  });

  test("for writing are required only by tools that write", () => {
    for (const { authorization, metadata } of chatCatalog.tools) {
      const writes = authorization?.scopes.some((scope) => scope.endsWith(":write")) === true;
      expect(writes).toBe(!metadata.behavior.read_only);
    }
  });
});

describe("metadata", () => {
  const SENDERS = new Set(["SendMessage", "SendDmToUser", "SendMessageToChannel"]);

  test.each(names)("of %s", (name) => {
    const sends = SENDERS.has(name);
    expect(tool(name).metadata).toEqual({
      classification: { service_domains: ["messaging"] },
      behavior: {
        operations: [sends ? "create" : "read"],
        read_only: !sends,
        destructive: false,
        idempotent: !sends,
        open_world: true,
      },
    });
  });

  test("every tool has a description and needs a grant at the preset's provider", () => {
    for (const { authorization, description } of chatCatalog.tools) {
      expect(authorization?.provider).toBe("slack");
      expect(description.length).toBeGreaterThan(20);
    }
  });

  test("deprecated tools say so where only the description is shown", () => {
    for (const { replacement, description } of chatCatalog.tools) {
      if (replacement === undefined) expect(description).not.toContain("Deprecated");
      else expect(description).toEndWith(`Deprecated: use ${replacement}.`);
    }
  });
});
