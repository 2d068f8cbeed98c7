// The text of tool errors: sentences of the platform by field, advice, and the next step.
import { describe, expect, test } from "bun:test";
import { outcomeUnknown, retryableInput, upstreamBadRequest, upstreamRateLimited } from "../../src/tools";
import { nextStepOf } from "../../src/tools/tool-error";

describe("a tool error", () => {
  test("has the platform's sentence for each field in its message", () => {
    const fields = [{ field: "SKU", sentence: "This value exists already" }, { sentence: "Too many." }];
    const error = upstreamBadRequest("The platform refused this.", { fields });
    expect(error.message).toBe("The platform refused this. SKU: This value exists already; Too many.");
  });

  test("has at most 20 sentences and 2000 letters of them", () => {
    const fields = Array.from({ length: 30 }, (_, index) => ({ field: `f${index}`, sentence: "no" }));
    expect(upstreamBadRequest("Refused.", { fields }).message).toEndWith("f19: no; and 10 more.");
    const long = [{ sentence: "x".repeat(5000) }, { sentence: "y".repeat(5000) }];
    expect(upstreamBadRequest("Refused.", { fields: long }).message.length).toBeLessThan(2100);
  });

  test("with an unknown outcome does not tell anyone to try again", () => {
    const failed = upstreamRateLimited("Too fast.", { advice: "Try again in 1 s.", retryAfterMs: 1000 });
    const error = outcomeUnknown(failed);
    expect(failed.message).toBe("Too fast. Try again in 1 s.");
    expect(error.message).toBe("Too fast. Whether it was done is unknown: check before trying again.");
    expect(error.details.retryAfterMs).toBeUndefined();
    expect(nextStepOf(error)).toStartWith("Read the present state first.");
  });

  test("with a hint of its own has no other next step", () => {
    expect(nextStepOf(retryableInput("No.", { additionalPromptContent: "Do it so." }))).toBe("Do it so.");
  });
});
