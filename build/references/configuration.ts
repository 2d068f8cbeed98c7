// docs/configuration.md, from the declarations of the settings.
import { verbs as serveVerbs } from "../../cli/commands/serve";
import { commonFlags, flagNames } from "../../cli/program";
import { catalogSettings } from "../../catalogs/settings";
import { declarationsWith, environmentName, type SettingDeclarations } from "../../src/config";
import { sentence } from "./text";

/** Titles of the groups by what the names of their settings begin with; the others are titled by that. */
const TITLES: Readonly<Record<string, string>> = {
  "": "Server, folders and keys",
  audit: "Audit trail",
  auth: "Sign-in of users",
  backup: "Backups",
  consents: "Retention",
  executions: "Retention",
  scheduled: "Retention",
  chat: "Catalogs",
  drive: "Catalogs",
  records: "Catalogs",
  sheets: "Catalogs",
  userinfo: "Catalogs",
  database: "Database",
  cors: "Pages of other origins",
  redirects: "Pages of other origins",
  egress: "Outbound requests",
  http: "HTTP",
  limits: "Limits",
  llm: "Language models",
  log: "Log",
  mcp: "MCP",
  metrics: "Metrics",
  root_key: "Root key from a program or a credential",
  stdio: "Programs as workers",
  telemetry: "Traces",
  tls: "TLS",
  tools: "Tools",
  workers: "Workers",
};

type SettingDeclaration = SettingDeclarations[string];

const INTRODUCTION = `# Configuration

<!-- Generated from the declarations of the settings: bun run docs -->

Every setting of a server and of commands. A value comes from the first of these sources that has one: a flag, the environment, the configuration file, the default. The file is \`--config FILE\`, else \`RUNTIME_CONFIG\`, else \`runtime.yaml\` in \`$XDG_CONFIG_HOME/runtime\` (\`~/.config/runtime\`). In the file, the setting \`egress.allow\` is the key \`allow\` below \`egress\`:

\`\`\`yaml
public_url: https://runtime.example.com
egress:
  allow: ["127.0.0.1:11434"]
log:
  level: info
\`\`\`

A relative path in the file is meant from the folder of the file, one in a flag or in the environment from the working directory; \`~\` is the home folder. \`runtime config set\` writes a relative path as an absolute one.

In the environment, lists are separated by commas, and lists of records are JSON. \`runtime config show --origin\` prints the values that are in force and where each comes from, \`runtime config set KEY VALUE\` writes one into the file, \`runtime config path\` prints the path of the file. An unknown key is an error; an unknown \`RUNTIME_\` variable is an error for a server and a warning for commands.

**When a change takes effect.** Settings are read when a process starts: a change applies to the next command, and to a server after a restart. Two things need no restart: on \`SIGHUP\`, a server reads the files of \`tls.cert\` and \`tls.key\` again, and \`runtime log\` changes the log of a running server for a while. Servers on the same data folder must have the same settings.
`;

const DATABASE = `Without \`database.url\`, the database is a file in the data folder and nothing here is needed. A URL has the form of libpq, \`postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?PARAMETER=VALUE\`, with special characters percent-encoded (\`@\` is \`%40\`, \`/\` is \`%2F\`). The password may be left out, and is then read from \`database.password_file\` or printed by \`database.password_command\`; it may be in the URL in the environment and in the file, never in a flag, because other users of the machine can see those. Parameters:

- \`sslmode\`: \`disable\`, \`prefer\` (TLS if the server has it), \`require\` (TLS without checking who answers; with \`sslrootcert\`, as \`verify-ca\`), \`verify-ca\` or \`verify-full\` (also the host name). **The default is \`verify-full\` for hosts on other machines** and \`prefer\` for this one; libpq's is \`prefer\` for all, which lets anybody in between ask for the password. Unix sockets do not use TLS.
- \`sslrootcert\`: file with the certificate authorities to trust (PEM). Managed services have their own and publish it. Without it, or with \`system\`, the public authorities are trusted.
- \`sslcert\`, \`sslkey\`: files with a client certificate and its key (PEM). The key must not be readable for other users. All these files are read at each connect.
- \`channel_binding\`: \`disable\`, \`prefer\` (default) or \`require\`.
- \`target_session_attrs\`: which of the hosts is used, in their order: \`read-write\` (default), \`primary\` or \`any\`.
- \`connect_timeout\`: seconds for each host, 1 to 300; default 5.
- \`host\`, \`port\`: in place of the hosts in front of the database name: \`postgres://runtime@/runtime?host=/var/run/postgresql\` is a Unix socket, as is \`postgres://runtime@%2Fvar%2Frun%2Fpostgresql/runtime\`.

`;

export async function configurationPage(): Promise<string> {
  const groups = Map.groupBy(Object.entries(declarationsWith(catalogSettings)), ([name]) => titleOf(name));
  const sections = [...groups].map(
    ([title, entries]) =>
      `## ${title}\n\n${title === "Database" ? DATABASE : ""}${entries.map((entry) => settingText(...entry)).join("\n")}`,
  );
  return [INTRODUCTION, ...sections, OTHERS].join("\n");
}

function titleOf(name: string): string {
  const prefix = name.includes(".") ? (name.split(".", 1)[0] ?? "") : "";
  return TITLES[prefix] ?? prefix;
}

function settingText(name: string, declaration: SettingDeclaration): string {
  const { meaning, schema, secret, records, databaseUrl } = declaration;
  const flag = flagOf(name, declaration);
  const facts = [
    `variable \`${environmentName(name)}\``,
    ...(flag === undefined ? [] : [`flag \`${flag}\``]),
    `value: ${"description" in schema ? String(schema.description) : "a list of records"}`,
    `default: ${defaultOf(declaration)}`,
    ...(secret === true ? ["a secret: in the environment only, never shown"] : []),
    ...(databaseUrl === true ? ["shown without its password; a flag or argument must not contain one"] : []),
    ...(records === true ? ["not shown, because it may contain secrets"] : []),
  ];
  return `### \`${name}\`\n\n${sentence(meaning)}\n\n${facts.map((fact) => `- ${fact}\n`).join("")}`;
}

function flagOf(name: string, declaration: SettingDeclaration): string | undefined {
  const flag = declaration.flag ?? `--${name.replaceAll(/[._]/g, "-")}`;
  const flags = [...commonFlags(), ...serveVerbs.flatMap(({ flags: own = [] }) => own)];
  return flags.some((spec) => flagNames(spec.flag).includes(flag)) ? flag : undefined;
}

function defaultOf({ default: value }: SettingDeclaration): string {
  if (value === undefined) return "unset";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `\`${value.join(",")}\``;
  return `\`${String(value)}\``;
}

const OTHERS = `## Variables that are not settings

- \`RUNTIME_CONFIG\`: the configuration file.
- \`XDG_CONFIG_HOME\`, \`XDG_DATA_HOME\`: where the configuration folder and the data folder are.
- \`CREDENTIALS_DIRECTORY\`: where systemd puts credentials; see \`root_key.credential\`.
- \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\`: the proxy of outbound requests.
- \`NODE_EXTRA_CA_CERTS\`: a file with more certificate authorities (PEM), as \`egress.ca_file\`.
- \`OTEL_EXPORTER_OTLP_ENDPOINT\`, \`OTEL_SERVICE_NAME\` and other standard variables of OpenTelemetry: they count less than the settings of [Traces](#traces); see [tracing.md](tracing.md#standard-variables).
- \`NO_COLOR\`: not empty: no colours. \`CI\`: not empty: no prompts.

How long records are kept, with the settings for it, is in the table of [users.md](users.md#how-long-it-is-kept).
`;
