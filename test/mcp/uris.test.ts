// Addresses of resources of several servers at one gateway.
import { expect, test } from "bun:test";
import { Uris } from "../../src/mcp/upstream/uris";
import type { Tool } from "../../src/tools";

// Only the name of the toolkit is read.
const reader = (name: string): Tool => ({ catalog: { toolkit: { name } } }) as Tool;

test("templates that may mean the same address get the name of their toolkit, others stay", () => {
  const [one, other] = [reader("One"), reader("Other")];
  const uris = new Uris([one, other]);
  const shown = (of: Tool, template: string): string => uris.addTemplate(of, template).shown;

  expect(shown(one, "file:///{path}")).toBe("file:///{path}");
  expect(shown(one, "notes://{id}/text")).toBe("notes://{id}/text");
  expect(shown(other, "file:///{name}")).toBe("other+file:///{name}");
  expect(shown(other, "notes://{id}/title")).toBe("notes://{id}/title");
  expect(shown(other, "{+any}")).toBe("other+{+any}");
  expect(uris.find("file:///x")).toEqual({ reader: one, upstream: "file:///x" });
  expect(uris.find("other+file:///x")).toEqual({ reader: other, upstream: "file:///x" });
});

test("of hostile templates only so many are compared, and the rest counts as overlapping", () => {
  const [one, other] = [reader("One"), reader("Other")];
  const uris = new Uris([one, other]);
  const hostile = `${"{+v}" + "a".repeat(80)}`.repeat(9);
  for (let index = 0; index < 100; index++) uris.addTemplate(one, `${hostile}${index}{+v}c`);
  for (let index = 0; index < 100; index++) uris.addTemplate(other, `x${"a".repeat(1200)}${index}b`);

  // It means no address of the others, which nobody looks at any more.
  expect(uris.addTemplate(reader("Third"), "zzz://{id}").shown).toBe("third+zzz://{id}");
  expect(new Uris([one]).addTemplate(one, "zzz://{id}").shown).toBe("zzz://{id}");
});
