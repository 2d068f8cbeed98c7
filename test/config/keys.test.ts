// The table of settings: the environment variable of each, and a value from it.
import { describe, expect, test } from "bun:test";
import { catalogSettings } from "../../catalogs/settings";
import { declarationsWith, environmentName } from "../../src/config";
import { checked } from "../../src/config/values";
import { load, refusalOf } from "./home";

// Written by hand, because operators rely on these names. Add a row for a new setting.
const NAMES: Record<string, [variable: string, text: string, value: unknown]> = {
  host: ["RUNTIME_HOST", "0.0.0.0", "0.0.0.0"],
  port: ["RUNTIME_PORT", "8080", 8080],
  "tls.cert": ["RUNTIME_TLS_CERT", "/etc/server.pem", "/etc/server.pem"],
  "tls.key": ["RUNTIME_TLS_KEY", "/etc/server.key", "/etc/server.key"],
  behind_proxy: ["RUNTIME_BEHIND_PROXY", "true", true],
  data_dir: ["RUNTIME_DATA_DIR", "/srv/data", "/srv/data"],
  public_url: ["RUNTIME_PUBLIC_URL", "https://run.test", "https://run.test"],
  project: ["RUNTIME_PROJECT", "sales", "sales"],
  user: ["RUNTIME_USER", "alice@example.com", "alice@example.com"],
  server: ["RUNTIME_SERVER", "https://run.test", "https://run.test"],
  api_key: ["RUNTIME_API_KEY", "rt_key", undefined],
  root_key: ["RUNTIME_ROOT_KEY", "0".repeat(64), undefined],
  root_key_file: ["RUNTIME_ROOT_KEY_FILE", "/run/secrets/root", "/run/secrets/root"],
  "root_key.command": ["RUNTIME_ROOT_KEY_COMMAND", '["kms","a,b"]', ["kms", "a,b"]],
  "root_key.next_command": ["RUNTIME_ROOT_KEY_NEXT_COMMAND", '["kms"]', ["kms"]],
  "root_key.command_timeout": ["RUNTIME_ROOT_KEY_COMMAND_TIMEOUT", "5", 5],
  "root_key.credential": ["RUNTIME_ROOT_KEY_CREDENTIAL", "root.key", "root.key"],
  "root_key.next_credential": ["RUNTIME_ROOT_KEY_NEXT_CREDENTIAL", "next.key", "next.key"],
  "database.url": ["RUNTIME_DATABASE_URL", "postgres://u@db1,db2/app", "postgres://u@db1,db2/app"],
  "database.password_file": ["RUNTIME_DATABASE_PASSWORD_FILE", "/run/secrets/db", "/run/secrets/db"],
  "database.password_command": ["RUNTIME_DATABASE_PASSWORD_COMMAND", '["vault","a,b"]', ["vault", "a,b"]],
  "database.migrate_url": [
    "RUNTIME_DATABASE_MIGRATE_URL",
    "postgres://owner@db1/app",
    "postgres://owner@db1/app",
  ],
  "database.listen_url": ["RUNTIME_DATABASE_LISTEN_URL", "postgresql://u@db1/app", "postgresql://u@db1/app"],
  "database.schema": ["RUNTIME_DATABASE_SCHEMA", "tools", "tools"],
  "database.connections": ["RUNTIME_DATABASE_CONNECTIONS", "20", 20],
  "database.prepared_statements": ["RUNTIME_DATABASE_PREPARED_STATEMENTS", "false", false],
  session_verification: ["RUNTIME_SESSION_VERIFICATION", "page_only", "page_only"],
  unsafe_skip_verification_allowed: ["RUNTIME_UNSAFE_SKIP_VERIFICATION_ALLOWED", "true", true],
  "auth.url": ["RUNTIME_AUTH_URL", "https://id.test", "https://id.test"],
  "auth.issuer": ["RUNTIME_AUTH_ISSUER", "https://id.test/acme", "https://id.test/acme"],
  "auth.client_id": ["RUNTIME_AUTH_CLIENT_ID", "runtime", "runtime"],
  "auth.client_secret": ["RUNTIME_AUTH_CLIENT_SECRET", "of the client", undefined],
  "auth.user_claim": ["RUNTIME_AUTH_USER_CLAIM", "email", "email"],
  sign_in: ["RUNTIME_SIGN_IN", "passkey", "passkey"],
  "auth.groups_claim": ["RUNTIME_AUTH_GROUPS_CLAIM", "roles", "roles"],
  "auth.groups_scope": ["RUNTIME_AUTH_GROUPS_SCOPE", "groups", "groups"],
  "auth.roles": [
    "RUNTIME_AUTH_ROLES",
    '[{"group": "ops", "role": "admin"}]',
    [{ group: "ops", role: "admin" }],
  ],
  "sessions.idle": ["RUNTIME_SESSIONS_IDLE", "600", 600],
  "sessions.lifetime": ["RUNTIME_SESSIONS_LIFETIME", "3600", 3600],
  user_sources: [
    "RUNTIME_USER_SOURCES",
    '[{"id":"us_1","issuer":"https://idp.test","audience":"tools"}]',
    [{ id: "us_1", issuer: "https://idp.test", audience: "tools" }],
  ],
  "mcp.allowed_hosts": ["RUNTIME_MCP_ALLOWED_HOSTS", "runtime.internal", ["runtime.internal"]],
  "mcp.keep_alive": ["RUNTIME_MCP_KEEP_ALIVE", "5", 5],
  "mcp.max_result_bytes": ["RUNTIME_MCP_MAX_RESULT_BYTES", "2048", 2048],
  "chat.api_url": ["RUNTIME_CHAT_API_URL", "http://127.0.0.1:1", "http://127.0.0.1:1"],
  "sheets.api_url": ["RUNTIME_SHEETS_API_URL", "http://127.0.0.1:2", "http://127.0.0.1:2"],
  "sheets.picker": ["RUNTIME_SHEETS_PICKER", "redirect", "redirect"],
  "sheets.picker_code": ["RUNTIME_SHEETS_PICKER_CODE", "ignore", "ignore"],
  "sheets.picker_script_url": [
    "RUNTIME_SHEETS_PICKER_SCRIPT_URL",
    "http://127.0.0.1:5/api.js",
    "http://127.0.0.1:5/api.js",
  ],
  "sheets.identity_script_url": [
    "RUNTIME_SHEETS_IDENTITY_SCRIPT_URL",
    "http://127.0.0.1:5/client",
    "http://127.0.0.1:5/client",
  ],
  "drive.api_url": ["RUNTIME_DRIVE_API_URL", "http://127.0.0.1:3", "http://127.0.0.1:3"],
  "userinfo.url": ["RUNTIME_USERINFO_URL", "http://127.0.0.1:4", "http://127.0.0.1:4"],
  "records.accounts_hosts": ["RUNTIME_RECORDS_ACCOUNTS_HOSTS", "https://a.test", ["https://a.test"]],
  "records.server_urls": ["RUNTIME_RECORDS_SERVER_URLS", "https://b.test", ["https://b.test"]],
  "egress.allow": ["RUNTIME_EGRESS_ALLOW", "loopback,10.0.0.0/8", ["loopback", "10.0.0.0/8"]],
  "egress.ca_file": ["RUNTIME_EGRESS_CA_FILE", "/etc/ca.pem", "/etc/ca.pem"],
  "egress.timeout": ["RUNTIME_EGRESS_TIMEOUT", "7", 7],
  "egress.max_bytes": ["RUNTIME_EGRESS_MAX_BYTES", "2048", 2048],
  "egress.max_total_bytes": ["RUNTIME_EGRESS_MAX_TOTAL_BYTES", "4096", 4096],
  "redirects.allow": ["RUNTIME_REDIRECTS_ALLOW", "app.test", ["app.test"]],
  "cors.allow": ["RUNTIME_CORS_ALLOW", "https://app.test,*", ["https://app.test", "*"]],
  "tools.timeout": ["RUNTIME_TOOLS_TIMEOUT", "8", 8],
  workers: ["RUNTIME_WORKERS", '[{ "id": "wiki", "mcp": { "uri": "https://mcp.test" } }]', undefined],
  "stdio.max_processes": ["RUNTIME_STDIO_MAX_PROCESSES", "8", 8],
  models: ["RUNTIME_MODELS", '[{ "id": "local", "openai": {} }]', undefined],
  "llm.timeout": ["RUNTIME_LLM_TIMEOUT", "60", 60],
  "llm.tools": ["RUNTIME_LLM_TOOLS", "read_only", "read_only"],
  "llm.tool_result_limit": ["RUNTIME_LLM_TOOL_RESULT_LIMIT", "2048", 2048],
  "http.body_limit": ["RUNTIME_HTTP_BODY_LIMIT", "4096", 4096],
  "http.body_timeout": ["RUNTIME_HTTP_BODY_TIMEOUT", "9", 9],
  "http.idle_timeout": ["RUNTIME_HTTP_IDLE_TIMEOUT", "200", 200],
  "http.rate_limit": ["RUNTIME_HTTP_RATE_LIMIT", "100", 100],
  "http.trusted_proxies": ["RUNTIME_HTTP_TRUSTED_PROXIES", "10.0.0.1, fd00::/8", ["10.0.0.1", "fd00::/8"]],
  "http.user_header": ["RUNTIME_HTTP_USER_HEADER", "remote-user", "remote-user"],
  "http.groups_header": ["RUNTIME_HTTP_GROUPS_HEADER", "remote-groups", "remote-groups"],
  "http.forwarded_header": ["RUNTIME_HTTP_FORWARDED_HEADER", "forwarded", "forwarded"],
  "limits.bad_credentials": ["RUNTIME_LIMITS_BAD_CREDENTIALS", "5", 5],
  "limits.pending_consents_per_user": ["RUNTIME_LIMITS_PENDING_CONSENTS_PER_USER", "5", 5],
  "limits.pending_consents_per_project": ["RUNTIME_LIMITS_PENDING_CONSENTS_PER_PROJECT", "5", 5],
  "limits.long_polls_per_key": ["RUNTIME_LIMITS_LONG_POLLS_PER_KEY", "5", 5],
  "limits.streams_per_key": ["RUNTIME_LIMITS_STREAMS_PER_KEY", "5", 5],
  "limits.streams": ["RUNTIME_LIMITS_STREAMS", "5", 5],
  "limits.scheduled_runs_per_project": ["RUNTIME_LIMITS_SCHEDULED_RUNS_PER_PROJECT", "5", 5],
  "limits.calls_per_project": ["RUNTIME_LIMITS_CALLS_PER_PROJECT", "5", 5],
  "executions.keep_days": ["RUNTIME_EXECUTIONS_KEEP_DAYS", "0", 0],
  "scheduled.keep_days": ["RUNTIME_SCHEDULED_KEEP_DAYS", "5", 5],
  "consents.keep_days": ["RUNTIME_CONSENTS_KEEP_DAYS", "5", 5],
  "audit.required": ["RUNTIME_AUDIT_REQUIRED", "true", true],
  "audit.keep_days": ["RUNTIME_AUDIT_KEEP_DAYS", "400", 400],
  "audit.key_file": ["RUNTIME_AUDIT_KEY_FILE", "/keys/audit.pem", "/keys/audit.pem"],
  "audit.heads_minutes": ["RUNTIME_AUDIT_HEADS_MINUTES", "5", 5],
  "audit.heads_file": ["RUNTIME_AUDIT_HEADS_FILE", "/mnt/heads", "/mnt/heads"],
  "backup.folder": ["RUNTIME_BACKUP_FOLDER", "/mnt/backups", "/mnt/backups"],
  "backup.hours": ["RUNTIME_BACKUP_HOURS", "24", 24],
  "backup.keep": ["RUNTIME_BACKUP_KEEP", "7", 7],
  "backup.recipients": ["RUNTIME_BACKUP_RECIPIENTS", "age1qqq,age1xyz", ["age1qqq", "age1xyz"]],
  "backup.before_upgrade": ["RUNTIME_BACKUP_BEFORE_UPGRADE", "false", false],
  "audit.heads_url": ["RUNTIME_AUDIT_HEADS_URL", "https://heads.test", "https://heads.test"],
  "log.level": ["RUNTIME_LOG_LEVEL", "debug", "debug"],
  "log.format": ["RUNTIME_LOG_FORMAT", "text", "text"],
  "metrics.enabled": ["RUNTIME_METRICS_ENABLED", "false", false],
  "metrics.listen": ["RUNTIME_METRICS_LISTEN", "127.0.0.1:9464", "127.0.0.1:9464"],
  "log.access": ["RUNTIME_LOG_ACCESS", "true", true],
  "shutdown.delay": ["RUNTIME_SHUTDOWN_DELAY", "5", 5],
  "shutdown.timeout": ["RUNTIME_SHUTDOWN_TIMEOUT", "5", 5],
  "telemetry.disabled": ["RUNTIME_TELEMETRY_DISABLED", "true", true],
  "telemetry.otlp.endpoint": [
    "RUNTIME_TELEMETRY_OTLP_ENDPOINT",
    "http://127.0.0.1:4318",
    "http://127.0.0.1:4318/v1/traces",
  ],
  "telemetry.otlp.headers": ["RUNTIME_TELEMETRY_OTLP_HEADERS", "api-key=of%20the%20collector", undefined],
  "telemetry.otlp.protocol": ["RUNTIME_TELEMETRY_OTLP_PROTOCOL", "http/json", "http/json"],
  "telemetry.otlp.compression": ["RUNTIME_TELEMETRY_OTLP_COMPRESSION", "gzip", "gzip"],
  "telemetry.otlp.timeout": ["RUNTIME_TELEMETRY_OTLP_TIMEOUT", "3", 3],
  "telemetry.otlp.delay_ms": ["RUNTIME_TELEMETRY_OTLP_DELAY_MS", "100", 100],
  "telemetry.service_name": ["RUNTIME_TELEMETRY_SERVICE_NAME", "tools", "tools"],
  "telemetry.resource": ["RUNTIME_TELEMETRY_RESOURCE", "team=a,zone=b", ["team=a", "zone=b"]],
  "telemetry.sample": ["RUNTIME_TELEMETRY_SAMPLE", "0.25", 0.25],
  "telemetry.sample_by_parent": ["RUNTIME_TELEMETRY_SAMPLE_BY_PARENT", "false", false],
  "telemetry.propagate": ["RUNTIME_TELEMETRY_PROPAGATE", "worker,.corp.test", ["worker", ".corp.test"]],
  "telemetry.content": ["RUNTIME_TELEMETRY_CONTENT", "sales,lab", ["sales", "lab"]],
};
const DECLARATIONS = declarationsWith(catalogSettings);
const ROWS = Object.entries(NAMES).map(([name, row]) => [name, ...row] as const);

test("every declared key has a row", () => {
  expect(Object.keys(NAMES).toSorted()).toEqual(Object.keys(DECLARATIONS).toSorted());
});

describe("every key", () => {
  test.each(ROWS)("%s is named %s in the environment", (name, variable) => {
    expect(environmentName(name)).toBe(variable);
  });

  test.each(ROWS)("%s is read from %s", (name, variable, text, value) => {
    const config = load(undefined, { [variable]: text });

    expect(new Map<string, unknown>(Object.entries(config.settings)).get(name)).toEqual(value);
    expect(config.originOf(name)).toBe(`environment ${variable}`);
  });

  test.each(ROWS)("%s has a meaning and a description of its values", (name) => {
    const { meaning, schema } = DECLARATIONS[name] ?? {};

    expect(meaning).toMatch(/^\S.*[^.]$/);
    expect(schema).toHaveProperty("description");
  });

  test.each(ROWS)("%s has no default or a valid one", (name) => {
    const declaration = DECLARATIONS[name];
    if (declaration?.default !== undefined) checked({ name, ...declaration }, declaration.default, "default");

    expect(load(undefined).originOf(name)).toBe("default");
  });
});

test("no two keys share a variable", () => {
  expect(new Set(ROWS.map(([, variable]) => variable)).size).toBe(ROWS.length);
});

test("the defaults are those of the manual", () => {
  const settings: object = load(undefined).settings;
  expect(settings).toEqual({
    host: "127.0.0.1",
    port: 9099,
    behind_proxy: false,
    "root_key.command_timeout": 30,
    project: "default",
    "database.schema": "runtime",
    "database.connections": 8,
    "database.prepared_statements": true,
    session_verification: "verify",
    unsafe_skip_verification_allowed: false,
    "auth.user_claim": "sub",
    "auth.groups_claim": "groups",
    "auth.roles": [],
    "sessions.idle": 28_800,
    "sessions.lifetime": 604_800,
    user_sources: [],
    "mcp.allowed_hosts": [],
    "mcp.keep_alive": 15,
    "mcp.max_result_bytes": 1_000_000,
    "sheets.picker": "script",
    "sheets.picker_code": "exchange",
    "records.accounts_hosts": [],
    "records.server_urls": [],
    "egress.allow": [],
    "egress.timeout": 30,
    "egress.max_bytes": 52_428_800,
    "egress.max_total_bytes": 67_108_864,
    "redirects.allow": [],
    "cors.allow": [],
    "tools.timeout": 50,
    "stdio.max_processes": 64,
    "llm.timeout": 120,
    "llm.tools": "all",
    "llm.tool_result_limit": 65_536,
    "http.body_limit": 4_194_304,
    "http.body_timeout": 30,
    "http.idle_timeout": 90,
    "http.rate_limit": 0,
    "http.trusted_proxies": [],
    "http.user_header": "x-forwarded-user",
    "limits.bad_credentials": 10,
    "limits.pending_consents_per_user": 100,
    "limits.pending_consents_per_project": 10_000,
    "limits.long_polls_per_key": 1000,
    "limits.streams_per_key": 1000,
    "limits.streams": 10_000,
    "limits.scheduled_runs_per_project": 100_000,
    "limits.calls_per_project": 2000,
    "executions.keep_days": 90,
    "consents.keep_days": 7,
    "telemetry.disabled": false,
    "telemetry.otlp.protocol": "http/protobuf",
    "telemetry.otlp.compression": "none",
    "telemetry.otlp.timeout": 10,
    "telemetry.otlp.delay_ms": 5000,
    "telemetry.resource": [],
    "telemetry.sample": 1,
    "telemetry.sample_by_parent": true,
    "telemetry.propagate": [],
    "telemetry.content": [],
    "audit.required": false,
    "audit.keep_days": 0,
    "audit.heads_minutes": 60,
    "backup.hours": 0,
    "backup.keep": 14,
    "backup.recipients": [],
    "backup.before_upgrade": true,
    "log.access": false,
    "shutdown.delay": 0,
    "shutdown.timeout": 60,
    "log.level": "info",
    "metrics.enabled": true,
  });
});

test.each(["toString", "__proto__", "PORT", "egress", ""])("%j is refused as a key", (text) => {
  expect(refusalOf(() => load(`${JSON.stringify(text)}: 1\n`))).toMatch(/unknown key|takes nested keys/);
});

test("a catalog cannot redefine a setting of the runtime", () => {
  const declared = { port: { schema: { type: "string" }, meaning: "another meaning" } };

  expect(load(undefined, {}, { declared }).declarations["port"]).toBe(DECLARATIONS["port"]);
});

test("without the catalogs their settings are unknown", () => {
  expect(refusalOf(() => load("chat:\n  api_url: http://127.0.0.1:1\n", {}, { declared: {} }))).toContain(
    'unknown key "chat',
  );
  expect(
    refusalOf(() => load(undefined, { RUNTIME_CHAT_API_URL: "http://127.0.0.1:1" }, { declared: {} })),
  ).toContain("unknown variable RUNTIME_CHAT_API_URL");
});

test("a variable in lower case is not read", () => {
  expect(load(undefined, { runtime_port: "1" }).settings.port).toBe(9099);
});

test("a variable with a dot does not set a key", () => {
  expect(refusalOf(() => load(undefined, { "RUNTIME_LOG.LEVEL": "debug" }))).toContain("RUNTIME_LOG_LEVEL");
});
