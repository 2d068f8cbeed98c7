// Tools with the public client: lists with their pages, one tool, its formats, and the client's helper libraries.
import Arcade, { PermissionDeniedError } from "@arcadeai/arcadejs";
import {
  executeOrAuthorizeZodTool,
  executeZodTool,
  isAuthorizationRequiredError,
  toZod,
  toZodSchema,
  toZodToolSet,
} from "@arcadeai/arcadejs/lib/index";
import { describe, expect, test } from "bun:test";
import { extensions } from "../../../catalogs";
import { Browser } from "../../support/browser";
import { clientOf, refusal } from "./client";
import type { World } from "./world";

const NAMES = extensions.catalogs
  .flatMap(({ toolkit, tools }) => tools.map(({ name }) => `${toolkit.name}.${name}`))
  .toSorted();

export function tools(world: () => World): void {
  const agent = () => clientOf(world().site.url, world().keys.run);

  describe("the public client reads tools", () => {
    test("page by page, each exactly once", async () => {
      const names: string[] = [];
      for await (const tool of agent().tools.list({ limit: 7 })) names.push(tool.qualified_name);
      expect(names.toSorted()).toEqual(NAMES);
    });

    test("page by page without auto-paging", async () => {
      let page = await agent().tools.list({ toolkit: "Chat", limit: 10, offset: 5 });
      const sizes = [page.items.length];
      while (page.hasNextPage()) {
        page = await page.getNextPage();
        sizes.push(page.items.length);
      }
      const total = NAMES.filter((name) => name.startsWith("Chat.")).length;
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total - 5);
      expect(await refusal(page.getNextPage())).toBeInstanceOf(Arcade.ArcadeError);
    });

    test("in formats of models", async () => {
      const client = agent();
      const shown = await client.tools.list({ toolkit: "Sheets", include_format: ["openai", "anthropic"] });
      for (const { formatted_schema } of shown.items) {
        expect(Object.keys(formatted_schema ?? {}).toSorted()).toEqual(["anthropic", "openai"]);
      }
      const formatted: unknown[] = [];
      for await (const tool of client.tools.formatted.list({ format: "openai", limit: 9 }))
        formatted.push(tool);
      expect(formatted).toHaveLength(NAMES.length);
      const one = await client.tools.formatted.get("Chat.SendMessage", { format: "anthropic" });
      expect(one).toMatchObject({ name: "Chat_SendMessage", input_schema: { type: "object" } });
    });

    test("one by one, by either name, with the user's missing permissions", async () => {
      const client = agent();
      const tool = await client.tools.get("Chat.SendMessage", { user_id: "nobody-yet" });
      expect(tool.requirements?.authorization).toMatchObject({
        token_status: "not_started",
        status: "active",
      });
      expect((await client.tools.get("Chat_SendMessage")).qualified_name).toBe("Chat.SendMessage");
    });
  });

  describe("the public client's conversion to zod", () => {
    const all = async () => {
      const found = [];
      for await (const tool of agent().tools.list({ limit: 100 })) found.push(tool);
      return found;
    };

    test("accepts every tool", async () => {
      const definitions = await all();
      const schemas = toZodSchema(definitions);
      expect(schemas.map(({ name }) => name.replace("_", ".")).toSorted()).toEqual(NAMES);
      const set = toZodToolSet({ tools: definitions, client: agent(), userId: "x" });
      expect(Object.keys(set)).toHaveLength(NAMES.length);
    });

    test("creates tools that run, and that refuse a wrong input before sending it", async () => {
      await world().connect("zoe");
      const definitions = [
        await agent().tools.get("Chat.ListUsers"),
        await agent().tools.get("Chat.SendMessage"),
      ];
      const [listUsers, sendMessage] = toZod({ tools: definitions, client: agent(), userId: "zoe" });

      const listed = await listUsers?.execute({ limit: 2, exclude_bots: null });
      expect(listed?.success).toBe(true);
      expect(listUsers?.output?.safeParse(listed?.output?.value).success).toBe(true);
      expect(await refusal(sendMessage?.execute({ message: 1 }) ?? Promise.resolve())).toHaveProperty(
        "message",
        expect.stringContaining("Invalid input"),
      );
    });

    test("executes, or returns the consent address", async () => {
      const client = agent();
      const definitions = [await client.tools.get("Chat.SendMessage")];
      const options = { tools: definitions, client, userId: "yara" };
      const [tool] = toZod({ ...options, executeFactory: executeOrAuthorizeZodTool });
      const input = { channel_name: "general", message: "by zod" };

      const pending = Object(await tool?.execute(input));
      expect(pending).toMatchObject({
        authorization_required: true,
        authorization_response: { status: "pending" },
      });
      await new Browser().consent(pending.url, "alice");
      expect(await tool?.execute(input)).toMatchObject({ success: true, status: "completed" });

      const [bare] = toZod({ ...options, userId: "yara-again", executeFactory: executeZodTool });
      const error = await refusal(bare?.execute(input) ?? Promise.resolve());
      expect(error).toBeInstanceOf(PermissionDeniedError);
      expect(error instanceof Error && isAuthorizationRequiredError(error)).toBe(true);
    });

    test("passes on errors other than a missing consent", async () => {
      const client = agent();
      const [tool] = toZod({
        tools: [await client.tools.get("VendorCreatorApi.GetApplicationMetaInfo")],
        client,
        userId: "xenia",
        executeFactory: executeOrAuthorizeZodTool,
      });
      const error = await refusal(tool?.execute({}) ?? Promise.resolve());
      expect(error).toBeInstanceOf(Arcade.BadRequestError);
    });
  });
}
