// No body that the server accepts keeps it from answering others. A tenth of the operations and tools, another one each
// day; the long runs send all.
import { test } from "bun:test";
import { sendWorstBodies } from "./worst-bodies";

const PARTS = 10;
const today = Math.floor(Date.now() / 86_400_000);

test("no accepted body blocks the server", () => sendWorstBodies(today, PARTS), 120_000);
