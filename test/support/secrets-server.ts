// A server of its own process for tests that trace or kill it: prints its address and an admin key.
// With `careless` SQLite is told not to sync: the test that looks for syncs must then find none.
import { Database } from "bun:sqlite";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { silentLog } from "../../src/base";
import { loadConfig } from "./config";
import { createRuntime } from "../../src/runtime";

if (process.argv.includes("careless")) {
  const run = Database.prototype.run;
  Database.prototype.run = function (this: Database, ...args: Parameters<typeof run>) {
    const [text, ...rest] = args;
    return run.call(this, text.replace(/^PRAGMA synchronous=.*/, "PRAGMA synchronous=OFF"), ...rest);
  };
}

const runtime = await createRuntime(loadConfig({ environment: process.env }), extensions, { log: silentLog });
const server = await startServer(runtime);
const operator = await runtime.identity.operator("default");
const { key } = await runtime.identity.createKey(operator, { name: "test", role: "admin" });
process.stdout.write(`${server.address} ${key} ${process.pid}\n`);
