// A deployment with a catalog of this folder's own: tools that take every type, need a secret, and fail.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { createLog, systemClock } from "../../src/base";
import { loadConfig } from "../support/config";
import type { Role } from "../../src/identity";
import { createRuntime, type Runtime } from "../../src/runtime";
import { type Catalog, defineTool, type ToolMetadata } from "../../src/tools";

const behavior = { read_only: true, destructive: false, idempotent: true, open_world: false };
const reads: ToolMetadata = {
  classification: { service_domains: ["messaging", "crm"] },
  behavior: { operations: ["read"], ...behavior },
  extras: { Tier: "gold", level: 3, tags: ["a", "b"] },
};
const destroys: ToolMetadata = {
  behavior: { ...behavior, operations: ["update", "delete"], read_only: false, destructive: true },
};

export const testCatalog: Catalog = {
  toolkit: { name: "TestKit", description: "Tools of a test.", version: "2.1.0" },
  bases: {},
  tools: [
    defineTool({
      name: "Echo",
      description: "Answers its input.",
      input: Type.Object({
        text: Type.Optional(Type.String({ description: "A text." })),
        count: Type.Optional(Type.Integer({ description: "A number.", minimum: 1 })),
        flag: Type.Optional(Type.Boolean({ description: "A switch." })),
        names: Type.Optional(Type.Array(Type.String(), { description: "A list." })),
      }),
      output: Type.Unknown(),
      metadata: reads,
      run: async (input) => input,
    }),
    defineTool({
      name: "Tell_Secret",
      description: "Answers the secret it needs.",
      input: Type.Object({}),
      output: Type.Unknown(),
      secrets: ["TEST_SECRET"],
      metadata: destroys,
      run: async (_input, { secrets }) => secrets,
    }),
    defineTool({
      name: "Fail",
      description: "Breaks.",
      input: Type.Object({}),
      output: Type.Unknown(),
      metadata: destroys,
      run: async () => {
        throw new TypeError("s3cr3t inside of the tool");
      },
    }),
  ],
};

export interface Own extends AsyncDisposable {
  url: string;
  runtime: Runtime;
  logLines: string[];
  environment: Record<string, string>;
  key(role: Role, users?: string[]): Promise<string>;
}

/** Starts runtime and server. `folder` given: used, and left behind. */
export async function startOwn(
  catalogs: readonly Catalog[] = [testCatalog],
  given: Record<string, string> = {},
): Promise<Own> {
  const folder = given["HOME"] ?? mkdtempSync(join(tmpdir(), "runtime-own-"));
  const environment = { HOME: folder, RUNTIME_PORT: "0", ...given };
  const logLines: string[] = [];
  const log = createLog({ level: "debug", clock: systemClock, write: (line) => logLines.push(line) });
  const cleanUp = (): void => {
    if (given["HOME"] === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const runtime = await createRuntime(loadConfig({ environment }), { ...extensions, catalogs }, { log });
  const server = await startServer(runtime).catch(async (error: unknown) => {
    await runtime.close();
    cleanUp();
    throw error;
  });
  return {
    url: server.address,
    runtime,
    logLines,
    environment,
    key: async (role, users) => {
      const request = { name: role, role, ...(users === undefined ? {} : { users }) };
      const operator = await runtime.identity.operator("default");
      return (await runtime.identity.createKey(operator, request)).key ?? "";
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await runtime.close();
      cleanUp();
    },
  };
}
