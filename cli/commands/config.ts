// `runtime config`: every setting with its value and its origin.
import type { Config } from "../../src/config";
import { type Common, verb } from "../command";
import type { Io } from "../io";
import { printList } from "../output";
import { loadCommonConfig } from "../session";
import type { Column } from "../table";

export const verbs = [
  verb({
    usage: "show",
    summary: "Show every setting: value, type, default, meaning. Secrets are shown only as set.",
    examples: ["runtime config show", "runtime config show --origin", "runtime config show -o json"],
    flags: [{ flag: "--origin", meaning: "also show where each value comes from" }],
    read: (line) => ({ origin: line.has("origin") }),
    run: showConfig,
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

async function showConfig(io: Io, common: Common, { origin }: { origin: boolean }): Promise<void> {
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
  const columns: Column<Setting>[] = [
    { title: "key", keep: "always", value: ({ key }) => key },
    { title: "value", value: ({ value }) => shown(value) },
    ...(origin ? [{ title: "origin", value: (setting: Setting) => setting.origin }] : []),
    { title: "type", value: ({ type }) => type },
    { title: "default", value: (setting) => shown(setting.default) },
    { title: "meaning", value: ({ meaning }) => meaning },
  ];
  printList(io, common, settings, { name: ({ key }) => key, columns }, "There are no settings.");
}

function valueOf(loaded: Config, name: string): unknown {
  if (name === "root_key") return loaded.rootKey === undefined ? null : "set";
  if (name === "api_key") return loaded.apiKey === undefined ? null : "set";
  if (name === "auth.client_secret") return loaded.clientSecret === undefined ? null : "set";
  if (name === "models") return loaded.models.map(({ record }) => record.id);
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
