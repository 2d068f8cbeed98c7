// `runtime config`: every setting with its value and its origin.
import { existsSync } from "node:fs";
import type { Config } from "../../src/config";
import { configurationError } from "../../src/errors";
import { type Common, verb } from "../command";
import type { Io } from "../io";
import { print, printList, printRecord } from "../output";
import { loadCommonConfig } from "../session";
import type { Column } from "../table";
import { unknownName } from "../unknown-name";

export const verbs = [
  verb({
    usage: "show [key]",
    summary: "Show every setting, or one: value, type, default, meaning. Secrets are shown only as set.",
    examples: ["runtime config show", "runtime config show port --origin", "runtime config show -o json"],
    flags: [{ flag: "--origin", meaning: "also show where each value comes from" }],
    read: (line) => ({ key: line.optionalWord(0), origin: line.has("origin") }),
    run: showConfig,
  }),
  verb({
    usage: "set <key> <value>",
    summary: "Write a setting into the configuration file. Running servers take it at their next start.",
    examples: ["runtime config set log.level warn", "runtime config set user alice"],
    read: (line) => ({ key: line.word(0), value: line.word(1) }),
    run: setSetting,
  }),
  verb({
    usage: "path",
    summary: "Print the path of the configuration file.",
    examples: ["runtime config path"],
    read: () => ({}),
    run: async (io, common) => {
      const { file } = await loadCommonConfig(io, common);
      if (file === undefined) throw noHome();
      const exists = existsSync(file);
      print(io, common.output, { path: file, exists }, () => `${file}\n`);
      if (!exists) io.note("The file does not exist yet. To create it: runtime config set KEY VALUE");
    },
  }),
];

interface Setting {
  key: string;
  value: unknown;
  type: string;
  default: unknown;
  meaning: string;
  origin: string;
  environment: string;
}

async function setSetting(
  io: Io,
  common: Common,
  { key, value }: { key: string; value: string },
): Promise<void> {
  const { ensureNamedFile, storeSetting } = await import("../user-file");
  ensureNamedFile(common.config ?? io.env["RUNTIME_CONFIG"]);
  const loaded = await loadCommonConfig(io, common);
  const { placedIn, settingOf } = await import("../../src/config");
  const given = settingOf(loaded.declarations, key, value);
  const declaration = loaded.declarations[key];
  // A person who types a path means the folder that the shell is in.
  const parsed = declaration === undefined ? given : placedIn(process.cwd(), declaration, given);
  if (loaded.file === undefined) throw noHome();
  await storeSetting(loaded.file, key, parsed);
  print(io, common.output, { key, value: parsed, path: loaded.file }, () => "");
  io.note(`${key} is set in ${loaded.file}.`);
  const origin = loaded.originOf(key);
  if (origin.startsWith("environment")) io.note(`warning: the value from the ${origin} still wins.`);
}

function noHome(): Error {
  return configurationError("There is no place for the configuration file. Set RUNTIME_CONFIG or HOME.");
}

async function showConfig(
  io: Io,
  common: Common,
  { key: wanted, origin }: { key: string | undefined; origin: boolean },
): Promise<void> {
  const loaded = await loadCommonConfig(io, common);
  const { environmentName } = await import("../../src/config");
  const settings = Object.entries(loaded.declarations).map(
    ([key, { schema, meaning, default: fallback }]): Setting => ({
      key,
      value: valueOf(loaded, key),
      type: typeOf(schema),
      default: fallback ?? null,
      meaning,
      origin: loaded.originOf(key),
      environment: environmentName(key),
    }),
  );
  const known = settings.map(({ key }) => key);
  if (wanted !== undefined && !known.includes(wanted))
    throw unknownName("setting", wanted, known, "runtime config show");
  const chosen = settings.filter(({ key }) => wanted === undefined || key === wanted);
  const columns: Column<Setting>[] = [
    { title: "key", keep: "always", value: ({ key }) => key },
    { title: "value", value: ({ value }) => shown(value) },
    ...(origin ? [{ title: "origin", value: (setting: Setting) => setting.origin }] : []),
    { title: "type", value: ({ type }) => type },
    { title: "default", value: (setting) => shown(setting.default) },
    { title: "meaning", value: ({ meaning }) => meaning },
  ];
  const shape = { name: ({ key }: Setting) => key, columns };
  const [only] = wanted === undefined ? [] : chosen;
  if (only === undefined) printList(io, common, chosen, shape, "There are no settings.");
  else printRecord(io, common, only, shape);
}

function valueOf(loaded: Config, name: string): unknown {
  if (name === "root_key") return loaded.rootKey === undefined ? null : "set";
  if (name === "api_key") return loaded.apiKey === undefined ? null : "set";
  if (name === "auth.client_secret") return loaded.clientSecret === undefined ? null : "set";
  if (name === "telemetry.otlp.headers") return loaded.collectorHeaders === undefined ? null : "set";
  if (name === "models") return loaded.models.map(({ record }) => record.id);
  if (name === "workers") return loaded.workers.map(({ record }) => record.id);
  if (name === "data_dir") return orNull(() => loaded.dataFolder());
  if (name === "root_key_file")
    return loaded.settings.root_key_file ?? orNull(() => loaded.defaultRootKeyFile());
  const settings: Readonly<Record<string, unknown>> = loaded.settings;
  return settings[name] ?? null;
}

// Without a home folder there is no path to show, but the other settings are still shown.
function orNull(place: () => string): string | null {
  try {
    return place();
  } catch {
    return null;
  }
}

function typeOf(schema: object): string {
  if ("enum" in schema && Array.isArray(schema.enum)) return `one of ${schema.enum.join(", ")}`;
  const type = "type" in schema ? String(schema.type) : "text";
  return type === "array" ? "list" : type;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return Array.isArray(value) ? value.join(",") || "-" : String(value);
}
