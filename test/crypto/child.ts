// Another process's first start on a database: `bun child.ts <database> <key file> <project>`. Prints `ready`, waits for
// a line on standard input, then prints the id of the root key and a value that it sealed.
import { systemClock } from "../../src/base";
import { openKeyring, systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite } from "../../src/store";

const [file = "", defaultFile = "", project = ""] = process.argv.slice(2);

async function started(): Promise<void> {
  console.log("ready");
  for await (const _line of console) return;
}

await started();
const store = openSqlite({ file, migrations: mainMigrations });
const settings = { value: undefined, file: undefined, defaultFile };
const ring = await openKeyring({ store, settings, random: systemRandom, clock: systemClock });
await store.write(() => ring.addDataKey(project));
console.log(ring.rootKeyId);
console.log(await ring.seal(project, { table: "secrets", row: "sec_1", field: "value" }, project));
await store.close();
process.exit(0);
