// The worst bodies of all operations and tools; see test/threats/freezing.test.ts.
import { test } from "bun:test";
import { scaled } from "../support/long";
import { sendWorstBodies } from "../threats/worst-bodies";

const PARTS = 10;
const today = Math.floor(Date.now() / 86_400_000);

test("no accepted body blocks the server", () => sendWorstBodies(today, PARTS / scaled(PARTS)), 1_200_000);
