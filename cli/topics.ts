// Pages of the help that are not files: they are made from the declarations, or concern all commands.
import { EXITS } from "./errors";
import type { Io } from "./io";
import { type Column, tableOf } from "./table";

export const TOPICS = ["exit-codes", "environment", "formatting", "config"] as const;
export type Topic = (typeof TOPICS)[number];

export async function topicText(io: Io, topic: Topic): Promise<string> {
  return TEXTS[topic](io);
}

const TEXTS: { readonly [T in Topic]: (io: Io) => Promise<string> | string } = {
  "exit-codes": exitCodes,
  environment,
  formatting: () => FORMATTING,
  config: () => CONFIG,
};

function exitCodes(io: Io): string {
  const columns: Column<(typeof EXITS)[number]>[] = [
    { title: "code", value: ({ code }) => String(code) },
    { title: "meaning", value: ({ meaning }) => meaning, wraps: true },
  ];
  const table = tableOf(EXITS, columns, { paint: io.paint, width: undefined });
  return `Every command exits with one of these codes, in every output format.\n\n${table}`;
}

async function environment(io: Io): Promise<string> {
  const [{ declarationsWith, environmentName }, { catalogSettings }] = await Promise.all([
    import("../src/config"),
    import("../catalogs/settings"),
  ]);
  const variables = Object.entries(declarationsWith(catalogSettings)).map(([name, { meaning }]) => ({
    variable: environmentName(name),
    meaning,
  }));
  const others = [
    {
      variable: "RUNTIME_CONFIG",
      meaning: "configuration file, instead of the one in the configuration folder",
    },
    {
      variable: "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_…",
      meaning: "traces, unless a setting below telemetry is set; see runtime help tracing",
    },
    { variable: "NO_COLOR", meaning: "not empty: no colours" },
    { variable: "CI", meaning: "not empty: no prompts" },
    { variable: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "proxy of outgoing requests" },
    { variable: "NODE_EXTRA_CA_CERTS", meaning: "file with further certificate authorities (PEM)" },
    {
      variable: "XDG_CONFIG_HOME, XDG_DATA_HOME",
      meaning: "location of the configuration folder and the data folder",
    },
  ];
  const columns: Column<(typeof others)[number]>[] = [
    { title: "variable", value: ({ variable }) => variable },
    { title: "meaning", value: ({ meaning }) => meaning, wraps: true },
  ];
  return tableOf([...variables, ...others], columns, { paint: io.paint, width: undefined });
}

const FORMATTING = `Data goes to standard output, everything else to standard error.

  -o table    for people (default); fits the width of a terminal; not truncated in a pipe
  -o json     a record, or an array of records
  -o yaml     the same as YAML
  -o ndjson   one record on each line
  -o name     only the name or id that other commands take
  --fields    only these fields, with dots for nested ones: --fields id,oauth2.client_id
  --no-headers  omit the header row of tables

With json, yaml and ndjson errors are also written to standard output as a record: name, message, and field_errors.
Check the exit code to see whether a command succeeded: runtime help exit-codes

  runtime tools list -o name --toolkit Chat
  runtime secrets list -o json --fields key,updated_at
  runtime keys list -o name | xargs -n 1 runtime keys show -o json
`;

const CONFIG = `A setting takes its value from the first of these sources that contains it:

  1. a flag            --project sales
  2. the environment   RUNTIME_PROJECT=sales
  3. the file          project: sales
  4. the default

The file is --config FILE, else RUNTIME_CONFIG, else runtime.yaml in $XDG_CONFIG_HOME/runtime (or ~/.config/runtime);
never the current folder. The environment variable of a key is RUNTIME_ and its name in capitals, with _ for dots: egress.allow
is RUNTIME_EGRESS_ALLOW. An unknown key is an error; an unknown RUNTIME_… variable is a
warning, and an error for runtime serve. All keys: runtime config show --origin

Commands run on the data folder, or against a server: --server URL, RUNTIME_SERVER, server: in the file, or the last
runtime login. Its API key comes from --key-file, RUNTIME_API_KEY or the login. --server local is the data folder.
`;
