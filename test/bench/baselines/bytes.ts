// Bare Bun that sends the bytes of a file, read once: `bun bytes.ts FILE`.
import { readFileSync } from "node:fs";
import { serve } from "./serve";

const bytes = readFileSync(process.argv[2] ?? "", "utf8");
const init = { headers: { "content-type": "application/json", "cache-control": "no-store" } };

await serve(() => new Response(bytes, init));
