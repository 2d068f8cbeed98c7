// The server from source with the bench's catalog and the real ones: `bun test/bench/server.ts [UPSTREAM]`.
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { loadConfig } from "../support/config";
import { createRuntime } from "../../src/runtime";
import { benchCatalog } from "./catalog";

const upstream = process.argv[2];
const more = upstream === undefined ? [] : [benchCatalog(upstream)];
const all = { ...extensions, catalogs: [...extensions.catalogs, ...more] };
const runtime = await createRuntime(loadConfig({ environment: process.env }), all);
const server = await startServer(runtime);

async function end(): Promise<void> {
  await server.stop();
  await runtime.close();
  process.exit();
}
process.once("SIGTERM", () => void end());
// The parent holds its standard input, and the server exits with it.
for await (const _ of console) void _;
await end();
