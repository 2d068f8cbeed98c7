// `mcp-remote` and opencode get to a gateway by themselves, however it and its provider of users are placed.
import { describe, expect } from "bun:test";
import { testWithPrograms } from "./peers";
import { placements } from "./placements";
import { connect, programs } from "./programs";

const TEST_MS = 90_000;

describe.each(programs.map((program) => [program.name, program] as const))("%s", (_name, program) => {
  testWithPrograms().each(placements.map((placement) => [placement.name, placement] as const))(
    "connects: %s",
    async (_placement, { start }) => {
      await using placed = await start();
      expect(await connect(program, placed)).toMatch(program.succeeds);
    },
    TEST_MS,
  );
});
