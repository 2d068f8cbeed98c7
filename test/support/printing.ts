// A command that prints a megabyte in the same event-loop turn as its last read, as `secrets list` may do.
import { systemIo } from "../../cli/io";
import { withSession } from "../../cli/session";

const io = await systemIo();
const common = {
  dataDir: undefined,
  database: undefined,
  project: undefined,
  server: undefined,
  keyFile: undefined,
  config: undefined,
  output: "json",
  fields: undefined,
  headers: true,
  timeout: undefined,
} as const;
await withSession(io, common, async ({ runtime }) => {
  await runtime.core.store.get({ text: "SELECT COUNT(*) FROM secrets" });
  io.out("x".repeat(1_000_000));
});
