// What the platform's refusals mean to the caller.
import { describe, expect, test } from "bun:test";
import type { Call } from "../../../../catalogs/sheets/upstream/call";
import { failureOf, problemOf } from "../../../../catalogs/sheets/upstream/failure";
import { GrantDead, ScopesLost } from "../../../../src/tools";
import { DRIVE_FILE } from "../run";

type Body = { [key: string]: unknown };

const CALL: Call = {
  method: "spreadsheets.get",
  base: "sheets",
  verb: "GET",
  path: "v4/spreadsheets/1",
  scopes: [DRIVE_FILE],
  ofFile: true,
};
const LIST: Call = {
  method: "files.list",
  base: "drive",
  verb: "GET",
  path: "drive/v3/files",
  scopes: [DRIVE_FILE],
};

/** The failure of an answer with this body, as it would come over the wire. */
function failure(status: number, body: Body | undefined, call: Call = CALL, retryAfterMs?: number) {
  const parsed = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const found = failureOf(call, { status, body: parsed, retryAfterMs });
  if (found === undefined) throw new Error("It is a success.");
  return found;
}

const newer = (status: string, message: string, reason?: string): Body => ({
  error: {
    message,
    status,
    ...(reason === undefined ? {} : { details: [{ "@type": "ErrorInfo", reason }] }),
  },
});
const older = (reason: string, message: string, location?: string): Body => ({
  error: { message, errors: [{ domain: "global", reason, message, location }] },
});

test.each([200, 204])("%d with an object is a success", (status) => {
  expect(failureOf(CALL, { status, body: {}, retryAfterMs: undefined })).toBeUndefined();
});

describe("kinds", () => {
  test.each<[string, number, Body | undefined, string, number, boolean]>([
    [
      "an unknown sheet",
      400,
      newer("INVALID_ARGUMENT", "Unable to parse range: 'X'!A1"),
      "UPSTREAM_RUNTIME_BAD_REQUEST",
      400,
      false,
    ],
    [
      "a cell outside",
      400,
      newer("INVALID_ARGUMENT", "Range (A9) exceeds grid limits. Max rows: 5, max columns: 4"),
      "UPSTREAM_RUNTIME_BAD_REQUEST",
      400,
      false,
    ],
    [
      "a full workbook",
      400,
      newer(
        "INVALID_ARGUMENT",
        "This action would increase the number of cells in the workbook above the limit of 10000000 cells.",
      ),
      "UPSTREAM_RUNTIME_BAD_REQUEST",
      400,
      false,
    ],
    [
      "a refusal of the file interface",
      400,
      older("invalid", "Invalid Value", "q"),
      "UPSTREAM_RUNTIME_BAD_REQUEST",
      400,
      false,
    ],
    [
      "no permission",
      403,
      newer("PERMISSION_DENIED", "The caller does not have permission"),
      "UPSTREAM_RUNTIME_AUTH_ERROR",
      403,
      false,
    ],
    [
      "no permission for the file",
      403,
      older("insufficientFilePermissions", "no"),
      "UPSTREAM_RUNTIME_AUTH_ERROR",
      403,
      false,
    ],
    [
      "an application that may not use the file",
      403,
      older("appNotAuthorizedToFile", "no"),
      "UPSTREAM_RUNTIME_AUTH_ERROR",
      403,
      false,
    ],
    [
      "an interface that is off",
      403,
      newer("PERMISSION_DENIED", "API has not been used in project 1", "SERVICE_DISABLED"),
      "TOOL_RUNTIME_FATAL",
      500,
      false,
    ],
    [
      "the same in the older form",
      403,
      older("accessNotConfigured", "not configured"),
      "TOOL_RUNTIME_FATAL",
      500,
      false,
    ],
    [
      "a rate limit",
      429,
      newer("RESOURCE_EXHAUSTED", "Quota exceeded", "RATE_LIMIT_EXCEEDED"),
      "UPSTREAM_RUNTIME_RATE_LIMIT",
      429,
      true,
    ],
    ["a rate limit without words", 429, undefined, "UPSTREAM_RUNTIME_RATE_LIMIT", 429, true],
    [
      "one of the file interface",
      403,
      older("rateLimitExceeded", "slow down"),
      "UPSTREAM_RUNTIME_RATE_LIMIT",
      429,
      true,
    ],
    [
      "one of the user",
      403,
      older("userRateLimitExceeded", "slow down"),
      "UPSTREAM_RUNTIME_RATE_LIMIT",
      429,
      true,
    ],
    [
      "a file that is not there",
      404,
      newer("NOT_FOUND", "Requested entity was not found."),
      "UPSTREAM_RUNTIME_NOT_FOUND",
      404,
      false,
    ],
    ["a page of a proxy for 403", 403, undefined, "UPSTREAM_RUNTIME_SERVER_ERROR", 502, false],
    ["a page of a proxy for 404", 404, undefined, "UPSTREAM_RUNTIME_SERVER_ERROR", 502, false],
    ["a conflict", 409, newer("ABORTED", "conflict"), "UPSTREAM_RUNTIME_BAD_REQUEST", 409, false],
    ["a page of a proxy for 418", 418, undefined, "UPSTREAM_RUNTIME_UNMAPPED", 502, false],
    ["a fault", 500, newer("INTERNAL", "Internal error"), "UPSTREAM_RUNTIME_SERVER_ERROR", 502, true],
    ["a page of a proxy for 503", 503, undefined, "UPSTREAM_RUNTIME_SERVER_ERROR", 502, true],
    ["a success that is none", 200, undefined, "UPSTREAM_RUNTIME_SERVER_ERROR", 502, true],
  ])("%s", (_, status, body, kind, statusCode, canRetry) => {
    const { error } = failure(status, body);
    expect(error).toMatchObject({ kind, canRetry, details: { statusCode } });
  });

  test.each([
    undefined,
    newer("UNAUTHENTICATED", "expired"),
    { error: "invalid_request", error_description: "Invalid Credentials" },
  ])("401 is a dead grant with any body: %#", (body) => {
    expect(failure(401, body).error).toBeInstanceOf(GrantDead);
  });

  test.each([
    newer(
      "PERMISSION_DENIED",
      "Request had insufficient authentication scopes.",
      "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    ),
    older("insufficientPermissions", "Insufficient Permission"),
  ])("a token that does not cover the call has lost its scope: %#", (body) => {
    const { error } = failure(403, body);
    expect(error).toBeInstanceOf(ScopesLost);
    expect(error.details.extra).toEqual({ needed_scopes: [DRIVE_FILE] });
  });

  test("names no scope if the required one is unknown", () => {
    const body = newer("PERMISSION_DENIED", "Not for you.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT");
    const { error } = failure(403, body, { ...LIST, scopes: [] });
    expect(error).not.toBeInstanceOf(ScopesLost);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR", message: "Not for you." });
  });
});

describe("messages", () => {
  test.each([
    [403, newer("PERMISSION_DENIED", "The caller does not have permission")],
    [404, newer("NOT_FOUND", "Requested entity was not found.")],
  ])("of a file with %d: it may not exist or not have been opened, and how to open it", (status, body) => {
    const { error } = failure(status, body);
    expect(error.message).toContain("may not exist");
    expect(error.message).toContain("may not have been opened through this application");
    expect(error.message).toContain("Sheets.GenerateGoogleFilePickerUrl");
    expect(error.details.additionalPromptContent).toContain("Sheets.GenerateGoogleFilePickerUrl");
    // The grant holds the scope: it is not to blame.
    expect(`${error.message} ${error.details.developerMessage}`).not.toContain(DRIVE_FILE);
    expect(error.message).not.toMatch(/scope/i);
  });

  test("of anything else: the platform's message, without a hint about files", () => {
    expect(failure(403, older("forbidden", "Sorting is not supported"), LIST).error.message).toBe(
      "Sorting is not supported",
    );
    expect(failure(404, older("notFound", "Shared drive not found: x"), LIST).error.message).toBe(
      "Shared drive not found: x",
    );
  });

  test("a long text is truncated", () => {
    expect(failure(400, newer("INVALID_ARGUMENT", "x".repeat(9000))).error.message.length).toBeLessThan(600);
  });

  test("the page of a proxy is not shown", () => {
    expect(failure(503, undefined).error.message).toBe(
      "The platform could not do this at the moment (HTTP 503). Try again later.",
    );
  });

  test("the page of a proxy says which path was called, and does not send the user to the picker", () => {
    const { error } = failure(403, undefined, { ...CALL, ofFile: true });
    expect(error.message).toContain("v4/spreadsheets/1 is not the platform's (HTTP 403");
    expect(`${error.message} ${error.details.additionalPromptContent}`).not.toContain("Picker");
  });

  test("a refused page token asks for a new search", () => {
    const { error } = failure(400, older("invalid", "Invalid Value", "pageToken"), LIST);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
  });
});

test.each([
  ["Unable to parse range: 'X'!A1", "unknown_range"],
  ["Range ('S'!Y1) exceeds grid limits. Max rows: 981, max columns: 24", "outside_grid"],
  [
    "This action would increase the number of cells in the workbook above the limit of 10000000 cells.",
    "too_many_cells",
  ],
  ["Invalid value", undefined],
] as const)("distinguishes problems with the range: %s", (message, trouble) => {
  expect(problemOf(failure(400, newer("INVALID_ARGUMENT", message)).error)).toBe(trouble);
});

describe("whether a retry may succeed, and whether the call may have been done", () => {
  test.each<[string, number, Body | undefined, "later" | "never", boolean]>([
    ["a rate limit", 429, undefined, "later", false],
    ["a rate limit of the file interface", 403, older("userRateLimitExceeded", "x"), "later", false],
    ["a fault", 500, undefined, "later", true],
    ["a success that is none", 200, undefined, "later", true],
    ["a refusal", 400, undefined, "never", false],
    ["no permission", 403, undefined, "never", false],
    ["a dead grant", 401, undefined, "never", false],
  ])("%s", (_, status, body, retry, maybeDone) => {
    expect(failure(status, body)).toMatchObject({ retry, maybeDone });
  });

  test("a rate limit contains the time to wait: that of the platform, otherwise a minute", () => {
    expect(failure(429, undefined, CALL, 3000).error.details.retryAfterMs).toBe(3000);
    expect(failure(429, undefined).error.details.retryAfterMs).toBe(60_000);
  });
});
