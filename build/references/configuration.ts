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

In the environment, lists are separated by commas, and lists of records are JSON. \`runtime config show --origin\` prints the values that are in force and where each comes from, \`runtime config set KEY VALUE\` writes one into the file, \`runtime config path\` prints the path of the file. An unknown key is an error; an unknown \`RUNTIME_\` variable is an error for a server and a warning for commands.

**When a change takes effect.** Settings are read when a process starts: a change applies to the next command, and to a server after a restart. Two things need no restart: on \`SIGHUP\`, a server reads the files of \`tls.cert\` and \`tls.key\` again, and \`runtime log\` changes the log of a running server for a while. Servers on the same data folder must have the same settings.
`;

export async function configurationPage(): Promise<string> {
  const groups = Map.groupBy(Object.entries(declarationsWith(catalogSettings)), ([name]) => titleOf(name));
  const sections = [...groups].map(
    ([title, entries]) => `## ${title}\n\n${entries.map((entry) => settingText(...entry)).join("\n")}`,
  );
  return [INTRODUCTION, ...sections, OTHERS].join("\n");
}

function titleOf(name: string): string {
  const prefix = name.includes(".") ? (name.split(".", 1)[0] ?? "") : "";
  return TITLES[prefix] ?? prefix;
}

function settingText(name: string, declaration: SettingDeclaration): string {
  const { meaning, schema, secret, records } = declaration;
  const flag = flagOf(name);
  const facts = [
    `variable \`${environmentName(name)}\``,
    ...(flag === undefined ? [] : [`flag \`${flag}\``]),
    `value: ${"description" in schema ? String(schema.description) : "a list of records"}`,
    `default: ${defaultOf(declaration)}`,
    ...(secret === true ? ["a secret: in the environment only, never shown"] : []),
    ...(records === true ? ["not shown, because it may contain secrets"] : []),
  ];
  return `### \`${name}\`\n\n${sentence(meaning)}\n\n${facts.map((fact) => `- ${fact}\n`).join("")}`;
}

function flagOf(name: string): string | undefined {
  const flag = `--${name.replaceAll(/[._]/g, "-")}`;
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
