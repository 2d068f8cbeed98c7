// A server in a process of its own: prints the requests that are to be sent with the worst values of each field, one line
// each, then the address, and serves until it is killed.
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { isObject } from "../../src/base";
import { servedOperations } from "../support/described";
import { toCall, validRequest } from "../generated/requests";
import { least, placesOf, withValue } from "../generated/schema";
import type { Platforms } from "../sandbox/platforms";
import { startWorld, USER } from "../generated/world";
import { JSON_TEXT, MARKER } from "./worst-values";

export interface PreparedRequest {
  name: string;
  method: string;
  path: string;
  key: string | undefined;
  /** Contains `MARKER` once, as the value of the field. */
  body: unknown;
  schema: unknown;
}

const world = await startWorld(await platformsElsewhere());
const { admin } = world.own;

async function platformsElsewhere(): Promise<Platforms> {
  const script = join(import.meta.dir, "platforms-process.ts");
  const child = Bun.spawn([process.execPath, script], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const { value } = await child.stdout.getReader().read();
  const platforms = JSON.parse(new TextDecoder().decode(value));
  return { ...platforms, [Symbol.asyncDispose]: async () => child.kill() };
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function requestFor(name: string, path: string, body: unknown, schema: unknown): PreparedRequest {
  return { name, method: "POST", path, key: admin, body, schema };
}

for (const { toolkit, tools } of extensions.catalogs) {
  for (const { name, input, documents } of tools) {
    const tool_name = `${toolkit.name}.${name}`;
    const properties: object = input.properties;
    const given = least(input);
    for (const [parameter, schema] of Object.entries(properties)) {
      const body = {
        tool_name,
        user_id: USER,
        input: { ...(isObject(given) ? given : {}), [parameter]: MARKER },
      };
      const holdsDocument = documents?.includes(parameter) === true;
      const largest = holdsDocument
        ? { contentMediaType: JSON_TEXT }
        : { maxLength: 100_000, maxItems: 1000 };
      const limited = { ...Object(schema), ...largest };
      print(requestFor(`${tool_name}: ${parameter}`, "/v1/tools/execute", body, limited));
    }
    const unknown = { tool_name, user_id: USER, input: { [MARKER]: 1 } };
    print(requestFor(`${tool_name}: a parameter's name`, "/v1/tools/execute", unknown, { type: "string" }));
  }
}
for (const operation of servedOperations) {
  for (const { path, schema } of placesOf(operation.body)) {
    const valid = await validRequest(world, world.own, operation);
    const body = withValue(valid.body, operation.body, path, MARKER);
    const call = toCall({ ...valid, body }, admin);
    print({ ...call, key: admin, name: `${operation.name}: ${path.join(".")}`, schema });
  }
}
print(world.site.url);
