// What a write answers is what a read shows.
import { isObject } from "../../src/base";
import { type ApiAnswer, at } from "../support/api";
import { type DescribedOperation, servedOperations } from "../support/described";
import { type Prepared, toCall } from "./requests";
import type { Project, World } from "./world";

/** The operation that reads what this one writes; undefined for one that writes nothing that can be read. */
export function readerOf({ method, path }: DescribedOperation): DescribedOperation | undefined {
  const reads = servedOperations.filter((one) => one.method === "GET");
  if (method === "POST")
    return reads.find((one) => one.path.replace(/\/\{\w+\}$/, "") === path && one.path !== path);
  return method === "PUT" || method === "PATCH" ? reads.find((one) => one.path === path) : undefined;
}

/** How the record that is read differs from the answer to the write; undefined when it does not, or there is none. */
export async function differenceOf(
  world: World,
  project: Project,
  request: Prepared,
  { status, body: written }: ApiAnswer,
): Promise<string | undefined> {
  const reader = status < 300 ? readerOf(request.operation) : undefined;
  if (reader === undefined || !isObject(written)) return undefined;
  const [, name = ""] = /\{(\w+)\}$/.exec(reader.path) ?? [];
  const path =
    request.operation.method === "POST"
      ? { ...request.path, [name]: String(at(written, "id")) }
      : request.path;
  const read = await world.send(
    toCall({ operation: reader, path, query: {}, body: undefined, named: [] }, project.admin),
  );
  if (read.status !== 200) return `it cannot be read: ${read.status} ${read.text}`;
  const fields = Object.keys(Object(read.body));
  const different = fields.filter((field) => !Bun.deepEquals(at(written, field), at(read.body, field)));
  return different.length === 0 ? undefined : `${different.join(", ")} differ when read: ${read.text}`;
}
