// The examples of error answers in the API description are what the server answers.
import { expect, test } from "bun:test";
import { collectExamples, errorStatusesOf, type ErrorExamples, FILE } from "./error-examples";
import { describedOperations } from "../support/described";

const stored: ErrorExamples = await Bun.file(FILE).json();

test("each is what the server answers; after a change: bun test/generated/error-examples.ts", async () => {
  expect(await collectExamples()).toEqual(stored);
});

test("each operation has one for every status that its requests can cause", () => {
  const shared = Object.keys(stored["*"] ?? {});
  const without = describedOperations.flatMap((operation) =>
    errorStatusesOf(operation)
      .map(String)
      .filter((status) => !shared.includes(status) && stored[operation.id]?.[status] === undefined)
      .map((status) => `${operation.id} ${status}`),
  );

  // The published contract declares it; every project has settings.
  expect(without).toEqual(["session-verification-settings-get 404"]);
});
