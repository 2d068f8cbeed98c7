// Copies a data folder and prints what it is at, so that a test can kill it there.
import { move } from "./moving";

const [folder = "", url = "", schema = ""] = process.argv.slice(2);
await move({ folder, url, schema }, (table, rows) => process.stdout.write(`${table} ${rows}\n`));
process.stdout.write("done\n");
