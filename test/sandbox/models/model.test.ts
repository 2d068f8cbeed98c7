// The model of the sandbox: which tool it calls for which sentence, with which arguments.
import { describe, expect, test } from "bun:test";
import { answerModel } from "../../../catalogs/sandbox/models";
import { Type, type TSchema } from "typebox";

function tool(name: string, description: string, properties: Record<string, TSchema> = {}): object {
  return { type: "function", function: { name, description, parameters: Type.Object(properties) } };
}

const text = Type.String();
const optional = Type.Optional(text);
const TOOLS = [
  tool("Chat_SendMessage", "Sends a message to a channel or to people.", {
    message: text,
    channel_name: optional,
    conversation_id: optional,
    usernames: Type.Optional(Type.Array(text)),
  }),
  tool("Chat_GetMessages", "Reads the messages of a conversation.", {
    channel_name: optional,
    usernames: Type.Optional(Type.Array(text)),
    limit: Type.Optional(Type.Integer()),
  }),
  tool("Chat_ListConversations", "Lists conversations.", { limit: Type.Optional(Type.Integer()) }),
  tool("Chat_ListUsers", "Lists the people of the workspace."),
  tool("Chat_WhoAmI", "Says who the user is."),
  tool("Inventory_ListItems", "Lists the items in stock with their quantities."),
  tool("Inventory_SetQuantity", "Sets how many of an item are in stock.", {
    item: text,
    quantity: Type.Integer(),
  }),
  tool("Notes_add_note", "Adds a note.", { note: text }),
  tool("Notes_list_notes", "Lists all notes."),
  tool("Sheets_CreateSpreadsheet", "Creates a spreadsheet.", { title: text }),
  tool("Sheets_SearchSpreadsheets", "Searches spreadsheets by their contents.", {
    spreadsheet_contains: Type.Optional(Type.Array(text)),
  }),
];

interface Message {
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

async function ask(body: object): Promise<Response> {
  const request = new Request("http://127.0.0.1/", { method: "POST", body: JSON.stringify(body) });
  return answerModel(request, "/chat/completions");
}

async function said(prompt: string, more: object = {}): Promise<Message> {
  const messages = [{ role: "user", content: prompt }];
  const answer = await ask({ model: "sandbox-model", messages, tools: TOOLS, ...more });
  const { choices } = (await answer.json()) as { choices: { message: Message }[] };
  return choices[0]?.message ?? { content: null };
}

async function called(prompt: string, more: object = {}): Promise<unknown[]> {
  const call = (await said(prompt, more)).tool_calls?.[0]?.function;
  return call === undefined ? [] : [call.name, JSON.parse(call.arguments)];
}

describe("the model calls", () => {
  test.each([
    ["send hello to general", "Chat_SendMessage", { message: "hello", channel_name: "general" }],
    [
      "Please send 'good morning' to bob.",
      "Chat_SendMessage",
      { message: "good morning", usernames: ["bob"] },
    ],
    [
      "send 'from the model to bob' to general",
      "Chat_SendMessage",
      { message: "from the model to bob", channel_name: "general" },
    ],
    ["say hello to #random", "Chat_SendMessage", { message: "hello", channel_name: "random" }],
    [
      "tell general: lunch is ready",
      "Chat_SendMessage",
      { message: "lunch is ready", channel_name: "general" },
    ],
    [
      'post "Deployed: 1.2" in the channel random',
      "Chat_SendMessage",
      { message: "Deployed: 1.2", channel_name: "random" },
    ],
    [
      "Use Chat.SendMessage with channel_name=general and message: hi",
      "Chat_SendMessage",
      { message: "hi", channel_name: "general" },
    ],
    ["read the messages in general", "Chat_GetMessages", { channel_name: "general" }],
    ["show me the messages from bob", "Chat_GetMessages", { usernames: ["bob"] }],
    ["which channels are there?", "Chat_ListConversations", {}],
    ["list users", "Chat_ListUsers", {}],
    ["who am I?", "Chat_WhoAmI", {}],
    ["list the items in stock", "Inventory_ListItems", {}],
    ["set the quantity of lamp to 7", "Inventory_SetQuantity", { item: "lamp", quantity: 7 }],
    ["add a note that the door is open", "Notes_add_note", { note: "the door is open" }],
    ["show all notes", "Notes_list_notes", {}],
    ["create a spreadsheet called Budget 2027", "Sheets_CreateSpreadsheet", { title: "Budget 2027" }],
    ["search spreadsheets for Budget", "Sheets_SearchSpreadsheets", { spreadsheet_contains: ["Budget"] }],
  ])("%s", async (prompt, name, values) => {
    expect(await called(prompt)).toEqual([name, values]);
  });

  test("the same tool for the same sentence, in any order of the tools", async () => {
    const reversed = await called("read the messages in general", { tools: TOOLS.toReversed() });

    expect(reversed).toEqual(await called("read the messages in general"));
  });

  test("the tool that a request demands", async () => {
    const choice = { type: "function", function: { name: "Notes_list_notes" } };

    expect(await called("good evening", { tool_choice: choice })).toEqual(["Notes_list_notes", {}]);
    expect(await called("good evening", { tool_choice: "required" })).toHaveLength(2);
  });
});

describe("the model says", () => {
  test.each(["what is the weather", "good evening", "42"])(
    "that it only matches words: %s",
    async (prompt) => {
      expect((await said(prompt)).content).toContain("send hello to general");
    },
  );

  test("which arguments are missing", async () => {
    expect((await said("create a spreadsheet")).content).toContain("missing: title");
  });

  test("something without a call if a request forbids calls", async () => {
    const { content, tool_calls: calls } = await said("list users", { tool_choice: "none" });

    expect([typeof content, calls]).toEqual(["string", undefined]);
  });

  test.each([
    ['{"items":[]}', 'Done. The tool answered: {"items":[]}'],
    ['{"error":{"message":"No such channel."}}', "The tool did not run: No such channel."],
  ])("what a tool answered: %s", async (result, sentence) => {
    const call = { id: "call_1", type: "function", function: { name: "Chat_ListUsers", arguments: "{}" } };
    const messages = [
      { role: "user", content: "list users" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: result },
    ];

    expect((await said("", { messages })).content).toBe(sentence);
  });
});

test("streams the same call in pieces, with its usage", async () => {
  const messages = [{ role: "user", content: "send hello to general" }];
  const streams = { stream: true, stream_options: { include_usage: true } };
  const answer = await ask({ model: "sandbox-model", messages, tools: TOOLS, ...streams });
  const lines = (await answer.text()).split("\n\n").filter((line) => line !== "");
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)));
  const parts = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);

  expect(lines.at(-1)).toBe("data: [DONE]");
  expect(parts[0].function.name).toBe("Chat_SendMessage");
  expect(parts.length).toBeGreaterThan(2);
  expect(JSON.parse(parts.map((part) => part.function.arguments).join(""))).toEqual({
    message: "hello",
    channel_name: "general",
  });
  expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(0);
});

test.each([
  ["GET", "/models", 200],
  ["POST", "/embeddings", 404],
  ["GET", "/chat/completions", 405],
])("%s %s answers %i", async (method, path, status) => {
  expect((await answerModel(new Request("http://127.0.0.1/", { method }), path)).status).toBe(status);
});

test("refuses what servers of this protocol refuse", async () => {
  const answer = await ask({ model: "sandbox-model", messages: [] });

  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("messages")]);
});
