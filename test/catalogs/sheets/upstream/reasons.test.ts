// The table of the platform's reasons against the lists that are documented, and what becomes of each reason.
import { describe, expect, test } from "bun:test";
import { REASONS } from "../../../../catalogs/sheets/upstream/reasons";
import { toolErrorRecord } from "../../../../src/tools/failure";
import { basesOf, Connection } from "../run";
import { Stub } from "../stub";

/** google-gax 5.0.8, build/protos/google/rpc/code.proto, without OK. */
const STATUSES =
  "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED UNAUTHENTICATED " +
  "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS";

/** google-gax 5.0.8, build/protos/google/api/error_reason.proto. */
const ERROR_REASONS =
  "SERVICE_DISABLED BILLING_DISABLED API_KEY_INVALID API_KEY_SERVICE_BLOCKED API_KEY_HTTP_REFERRER_BLOCKED " +
  "API_KEY_IP_ADDRESS_BLOCKED API_KEY_ANDROID_APP_BLOCKED API_KEY_IOS_APP_BLOCKED RATE_LIMIT_EXCEEDED " +
  "RESOURCE_QUOTA_EXCEEDED LOCATION_TAX_POLICY_VIOLATED USER_PROJECT_DENIED CONSUMER_SUSPENDED CONSUMER_INVALID " +
  "SECURITY_POLICY_VIOLATED ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_SCOPE_INSUFFICIENT ACCOUNT_STATE_INVALID " +
  "ACCESS_TOKEN_TYPE_UNSUPPORTED CREDENTIALS_MISSING RESOURCE_PROJECT_INVALID SESSION_COOKIE_INVALID " +
  "USER_BLOCKED_BY_ADMIN RESOURCE_USAGE_RESTRICTION_VIOLATED SYSTEM_PARAMETER_UNSUPPORTED ORG_RESTRICTION_VIOLATION " +
  "ORG_RESTRICTION_HEADER_INVALID SERVICE_NOT_VISIBLE GCP_SUSPENDED LOCATION_POLICY_VIOLATED MISSING_ORIGIN " +
  "OVERLOADED_CREDENTIALS LOCATION_ORG_POLICY_VIOLATED TLS_ORG_POLICY_VIOLATED EMULATOR_QUOTA_EXCEEDED " +
  "CREDENTIAL_ANDROID_APP_INVALID IAM_PERMISSION_DENIED JWT_TOKEN_INVALID CREDENTIAL_TYPE_UNSUPPORTED " +
  "ACCOUNT_TYPE_UNSUPPORTED ENDPOINT_USAGE_RESTRICTION_VIOLATED TLS_CIPHER_RESTRICTION_VIOLATED MCP_SERVER_DISABLED";

/** developers.google.com/workspace/drive/api/guides/handle-errors. */
const DRIVE =
  "badRequest invalidSharingRequest authError dailyLimitExceeded activeItemCreationLimitExceeded userRateLimitExceeded " +
  "rateLimitExceeded sharingRateLimitExceeded appNotAuthorizedToFile insufficientFilePermissions domainPolicy notFound " +
  "backendError internalError storageQuotaExceeded numChildrenInNonRootLimitExceeded teamDriveFileLimitExceeded";

test("each documented reason is in the table", () => {
  const documented = [STATUSES, ERROR_REASONS, DRIVE].flatMap((list) => list.split(" "));

  expect(documented.filter((reason) => !REASONS.has(reason))).toEqual([]);
});

const KINDS: Readonly<Record<string, string>> = {
  disabled: "TOOL_RUNTIME_FATAL",
  scope: "UPSTREAM_RUNTIME_AUTH_ERROR",
  quota: "UPSTREAM_RUNTIME_RATE_LIMIT",
  file: "UPSTREAM_RUNTIME_AUTH_ERROR",
  organization: "UPSTREAM_RUNTIME_BAD_REQUEST",
  full: "UPSTREAM_RUNTIME_BAD_REQUEST",
};

describe.each([...REASONS].filter(([, { meaning }]) => KINDS[meaning] !== undefined))(
  "%s",
  (reason, { meaning }) => {
    test("of a refused write has its kind, says what to do, and that nothing was done", async () => {
      const body = { error: { code: 403, message: "Refused.", errors: [{ reason }] } };
      await using stub = new Stub().on("/v4/spreadsheets", Response.json(body, { status: 403 }));
      const connection = new Connection(basesOf(stub.url));
      const error = await connection.failure("CreateSpreadsheet", { title: "T" });
      const {
        message,
        additional_prompt_content: next = "",
        retry_after_ms,
      } = toolErrorRecord(error, undefined, false);

      expect(error.kind).toBe(KINDS[meaning] as typeof error.kind);
      expect(message).toMatch(/\w{3,}.*\./);
      expect(next.length > 10 || retry_after_ms !== undefined).toBe(true);
      expect(error.details.extra ?? {}).not.toHaveProperty("outcome");
    });
  },
);
