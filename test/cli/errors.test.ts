// Exit codes are a contract: scripts branch on them.
import { describe, expect, test } from "bun:test";
import { ConsentRequired, exitCodeOf, OutputError, UsageError } from "../../cli/errors";
import { report } from "../../cli/report";
import * as errors from "../../src/errors";
import { fakeIo } from "./support/fake-io";

const AUTHORIZATION = {
  id: "ar_1",
  status: "pending" as const,
  url: "http://127.0.0.1:9099/authorize/x",
  user_id: "alice",
  scopes: [],
  context: {},
};

describe("a file or folder that cannot be used", () => {
  test.each([
    ["EACCES", "permission denied"],
    ["EROFS", "read-only"],
    ["ENOSPC", "no space left. Free space there"],
    ["EISDIR", "it is a folder"],
    ["ENOENT", "it does not exist"],
    ["ENOTDIR", "a part of the path is not a folder"],
    ["ELOOP", "too many symbolic links"],
    ["ENAMETOOLONG", "the name is too long"],
    ["EMFILE", "too many open files"],
    ["ETXTBSY", "a program that is running"],
    ["EFBIG", "too large"],
  ])("%s is reported with path and reason", (code, reason) => {
    const io = fakeIo();
    const error = Object.assign(new Error("PRIVATE"), { code, path: "/etc/runtime/logins.json.123.new" });

    expect(report(io, "table", error)).toBe(1);
    expect(io.stderr).toContain("/etc/runtime/logins.json cannot be read or written");
    expect(io.stderr).toContain(reason);
    expect(io.stderr).not.toContain("PRIVATE");
  });

  test("is a database: SQLite says why", () => {
    const io = fakeIo();

    report(io, "table", Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }));

    expect(io.stderr).toBe("error: A database cannot be read or written: database or disk is full.\n");
  });

  test("is named by the name that the user has given, not by a temporary one", () => {
    const shown = (fields: object): string => {
      const io = fakeIo();
      report(io, "table", Object.assign(new Error("PRIVATE"), { code: "ENOENT" }, fields));
      return io.stderr;
    };
    const work = "/backups/.runtime-backup-aVZafc";

    expect(shown({ path: work })).toBe("error: /backups cannot be read or written: it does not exist.\n");
    expect(shown({ path: `${work}/backup`, dest: "/backups/new" })).toStartWith("error: /backups/new cannot");
    expect(shown({ syscall: "read" })).toBe("error: A file cannot be read or written: it does not exist.\n");
  });
});

test("an internal error prints its stack only at log level debug", () => {
  const stderrWith = (env: Record<string, string>): string => {
    const io = fakeIo({ env });
    report(io, "table", new TypeError("PRIVATE"));
    return io.stderr;
  };

  expect(stderrWith({ RUNTIME_LOG_LEVEL: "debug" })).toContain("errors.test.ts");
  expect(stderrWith({ RUNTIME_LOG_LEVEL: "debug" })).not.toContain("PRIVATE");
  expect(stderrWith({})).not.toContain("errors.test.ts");
});

const interrupted = Object.assign(new Error("User force closed the prompt"), { name: "ExitPromptError" });

describe("exit codes", () => {
  test.each<[number, string, unknown]>([
    [1, "malformed_request", errors.malformedRequest("x")],
    [1, "invalid_parameter", errors.invalidParameter("x")],
    [1, "missing configuration", errors.requirementsNotMet("x")],
    [1, "configuration", errors.configurationError("x")],
    [1, "a locked database", errors.unavailable("x")],
    [1, "an internal error", new TypeError("x")],
    [1, "a full disk", new OutputError("x")],
    [2, "usage", new UsageError("x")],
    [3, "tool_not_found", errors.toolNotFound("x")],
    [3, "not_found", errors.notFound("x")],
    [4, "invalid_authorization", errors.invalidAuthorization("x")],
    [4, "forbidden", errors.forbidden("x")],
    [5, "already_exists", errors.alreadyExists("x")],
    [5, "conflict", errors.conflict("x")],
    [6, "a consent that a service requires", errors.consentRequired("x")],
    [6, "a consent with its address", new ConsentRequired("x", AUTHORIZATION)],
    [7, "rate_limited", new errors.RuntimeError("rate_limited", 429, "x")],
    [8, "gateway_timeout", new errors.RuntimeError("gateway_timeout", 504, "x")],
    [130, "Ctrl-C in a prompt", interrupted],
  ])("%i: %s", (code, _what, error) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe("a report", () => {
  test("is one line on standard error for people", () => {
    const io = fakeIo();

    report(io, "table", errors.notFound("There is no such key."));

    expect([io.stdout, io.stderr]).toEqual(["", "error: There is no such key.\n"]);
  });

  test("as JSON is the Error record, with the line on standard error", () => {
    const io = fakeIo();
    const fieldErrors = [{ field: "name", rule: "required", message: "is required" }];

    report(io, "json", errors.malformedRequest("bad", { fieldErrors, cause: new Error("PRIVATE") }));

    expect(JSON.parse(io.stdout)).toEqual({
      name: "malformed_request",
      message: "bad",
      field_errors: fieldErrors,
    });
    expect(io.stderr).toBe("error: bad\n");
  });

  test("of a missing consent contains its address", () => {
    const io = fakeIo();

    report(io, "json", new ConsentRequired("alice must consent", AUTHORIZATION));

    const { id, url, status } = AUTHORIZATION;
    expect(JSON.parse(io.stdout)).toEqual({
      name: "tool_requirements_not_met",
      message: "alice must consent",
      authorization: { id, url, status },
    });
  });

  test("of an internal error reveals nothing", () => {
    const io = fakeIo();

    report(io, "json", new TypeError("PRIVATE"));

    expect(io.stdout + io.stderr).not.toContain("PRIVATE");
    expect(JSON.parse(io.stdout).name).toBe("internal_error");
  });

  test("of Ctrl-C prints nothing", () => {
    const io = fakeIo();

    report(io, "json", interrupted);

    expect([io.stdout, io.stderr]).toEqual(["", ""]);
  });

  test("escapes control characters", () => {
    const io = fakeIo();

    report(io, "table", errors.notFound("\u001b[2J\nno"));

    expect(io.stderr).toBe("error: \\x1b[2J\\nno\n");
  });
});
