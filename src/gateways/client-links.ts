// How a client is connected without editing its file: links that install an entry, and commands that add one. The entry is that
// of the client's file (`FORMATS`).
import type { JsonObject } from "../base";
import { CLIENT_NAMES, type ClientName, type Entry, FORMATS, serverOf } from "./client-formats";

export interface InstallLink {
  client: string;
  href: string;
}

export interface ConnectCommand {
  client: string;
  command: string;
}

/** Links to the programs themselves: pages of vendors that redirect to them would learn the address of the gateway. */
export function installLinks(entry: Entry): InstallLink[] {
  const { name } = entry;
  const cursor = JSON.stringify(serverOf(FORMATS.cursor, entry));
  const config = encodeURIComponent(Buffer.from(cursor, "utf8").toString("base64"));
  const { inputs } = FORMATS.vscode.config({ url: entry.url }, entry);
  const vscode: JsonObject = {
    name,
    ...serverOf(FORMATS.vscode, entry),
    ...(inputs === undefined ? {} : { inputs }),
  };
  return [
    {
      client: "Cursor",
      href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`,
    },
    {
      client: "Visual Studio Code",
      href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(vscode))}`,
    },
  ];
}

/** Commands for a shell. With a key, it is taken from the variable and is not part of the command. */
export function connectCommands({ name, url, key }: Entry): ConnectCommand[] {
  const headers =
    key === undefined ? [] : [`"Authorization: Bearer $${key.variable}"`, quoted(`X-User-ID: ${key.user}`)];
  const header = headers.map((each) => ` --header ${each}`).join("");
  const plain = url.startsWith("http:") && !LOOPBACK.test(url) ? " --allow-http" : "";
  return [
    { client: "Claude Code", command: `claude mcp add --transport http ${name} ${url}${header}` },
    {
      client: "Codex",
      command:
        key === undefined
          ? `codex mcp add ${name} --url ${url}`
          : `codex mcp add ${name} --url ${url} --bearer-token-env-var ${key.variable}`,
    },
    { client: "Any client that starts programs", command: `npx -y mcp-remote ${url}${plain}${header}` },
  ];
}

/** An entry for the file of a client. */
export interface FileEntry {
  client: string;
  file: string;
  text: string;
}

const TITLES: Partial<Record<ClientName, string>> = {
  claude: "Claude Code",
  cursor: "Cursor",
  gemini: "Gemini CLI",
  vscode: "Visual Studio Code",
  windsurf: "Windsurf",
};

/** Of all clients that call addresses and have a file in JSON. */
export function fileEntries(entry: Entry): FileEntry[] {
  return CLIENT_NAMES.flatMap((name) => {
    const format = name === "codex" ? undefined : FORMATS[name];
    if (format?.file === undefined || format.stdioOnly === true) return [];
    const text = JSON.stringify(format.config(serverOf(format, entry), entry), null, 2);
    return [{ client: TITLES[name] ?? name, file: format.file, text }];
  });
}

/** The entry for files with `mcpServers`. */
export function jsonEntry(entry: Entry): string {
  return JSON.stringify(FORMATS.json.config(serverOf(FORMATS.json, entry), entry), null, 2);
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/;

/** One word of a POSIX shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
