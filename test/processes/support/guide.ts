// The blocks of the operations guide, and the site on which they run.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { writeArchive } from "../../../build/archive";
import { writeSums } from "../../../build/sums";
import { type EmptyRoot, startEmptyRoot } from "./empty-root";
import { type ShellSession, startShellSession } from "./shell-session";

const ROOT = join(import.meta.dir, "../../..");
/** The user under which the guide runs the server. */
const USER = 990;
const WRITABLE = ["/etc/runtime", "/var/lib/runtime", "/var/backups/runtime", "/var/log/runtime"];
const DATE = new Date("2020-02-02T00:00:00Z");

export interface GuideBlock {
  section: string;
  /** What a comment before it says about how it is run. */
  mark: string | undefined;
  text: string;
}

const PART = /^## (.+)$|^<!-- guide: (.+) -->$|^```sh\n([^]*?)^```$/gm;

/** The blocks of commands in docs/operating.md, in order. */
export function readGuide(): GuideBlock[] {
  const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
  const blocks: GuideBlock[] = [];
  let section = "";
  let mark: string | undefined;
  for (const [, title, comment, text] of page.matchAll(PART)) {
    if (title !== undefined) section = title;
    if (comment !== undefined) mark = comment;
    if (text === undefined) continue;
    blocks.push({ section, mark, text });
    mark = undefined;
  }
  return blocks;
}

export interface Site extends AsyncDisposable {
  readonly machine: EmptyRoot;
  readonly session: ShellSession;
  readonly peer: Peer;
  /** Runs a block as its mark says. */
  run(block: GuideBlock): Promise<string>;
  /** A person opens an address and consents. */
  consent(address: string): Promise<string>;
}

export interface Peer extends AsyncDisposable {
  environment: Record<string, string>;
  secret: string;
  ask(line: string): Promise<string>;
}

/**
 * A machine with the files that the guide expects in `/media`, and the chat platform in its network; or one more machine in
 * the network of another site.
 */
export async function startSite(executable: string, other?: Site): Promise<Site> {
  const machine = await startEmptyRoot({ librariesFrom: executable, neighbour: other?.machine });
  await putRelease(join(machine.folder, "media/release"), executable);
  const peer = other?.peer ?? (await startPeer(machine));
  for (const name of ["tls", "safe", "secrets", "backup"])
    mkdirSync(join(machine.folder, "media", name), { recursive: true, mode: 0o777 });
  Bun.spawnSync(["chmod", "777", join(machine.folder, "media/safe")]);
  writeFileSync(join(machine.folder, "media/secrets/chat-secret"), peer.secret);
  const session = startShellSession(machine, {}, USER);
  return siteOf(machine, session, peer, other === undefined);
}

function siteOf(machine: EmptyRoot, session: ShellSession, peer: Peer, ownsPeer: boolean): Site {
  const asRoot = async (text: string): Promise<string> => {
    machine.thaw();
    const { code, stdout, stderr } = await machine.shell(`set -e\n${text}`);
    if (code !== 0) throw new Error(`${text}\nended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    machine,
    session,
    peer,
    run: async ({ mark, text }) => {
      if (mark?.includes("as root") === true) {
        const said = await asRoot(text);
        if (existsSync(join(machine.folder, "etc/runtime"))) freeze(machine);
        return said;
      }
      if (mark === "on another machine") return makeCertificate(text, join(machine.folder, "media/tls"));
      const said = await session.run(text);
      if (mark === "the test has other addresses") {
        const exports = Object.entries(peer.environment).map(([name, value]) => `export ${name}='${value}'`);
        await session.run(`${exports.join("\n")}\n`);
      }
      return said;
    },
    consent: (address) => peer.ask(`${address} alice`),
    [Symbol.asyncDispose]: async () => {
      if (ownsPeer) await peer[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** The folders of the guide stay writable, and the medium for the safe. */
function freeze(machine: EmptyRoot): void {
  machine.freeze([...WRITABLE, "/media/safe"]);
}

/** The files of a release with one archive. */
export async function putRelease(folder: string, executable: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const base = `runtime-${version}-linux-x64`;
  const installer = readFileSync(join(ROOT, "build/install.sh"), "utf8");
  // What the installer puts into place, besides the executable.
  const others = [...installer.matchAll(/^ {2}put (\S+) /gm)].map(([, name = ""]) => ({
    name: `${base}/${name}`,
    content: "-\n",
  }));
  await writeArchive(
    join(folder, `${base}.tar.gz`),
    [{ name: `${base}/runtime`, content: readFileSync(executable), executable: true }, ...others],
    DATE,
  );
  writeFileSync(join(folder, "install.sh"), installer.replace("@VERSION@", version));
  await writeSums(folder);
}

async function startPeer(machine: EmptyRoot): Promise<Peer> {
  const child = Bun.spawn(machine.beside([process.execPath, join(import.meta.dir, "empty-root-peer.ts")]), {
    env: { PATH: process.env["PATH"] ?? "", NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = createInterface({ input: Readable.fromWeb(child.stdout) })[Symbol.asyncIterator]();
  const line = async (): Promise<Record<string, string>> => JSON.parse((await lines.next()).value ?? "{}");
  const { url = "", id = "", secret = "" } = await line();
  const host = new URL(url).host;
  return {
    secret,
    environment: { NAME: "localhost", CHAT: url, CHAT_HOST: host, CHAT_CLIENT_ID: id },
    ask: async (text) => {
      child.stdin.write(`${text}\n`);
      await child.stdin.flush();
      return (await line())["said"] ?? "";
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function makeCertificate(text: string, folder: string): Promise<string> {
  const child = Bun.spawn(["sh", "-ec", text], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NAME: "localhost" },
    stdout: "pipe",
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
  for (const name of ["server.key", "server.pem"]) Bun.spawnSync(["chmod", "644", join(folder, name)]);
  return "";
}

/** Carries what the guide has put into the safe, and a backup, to another machine. */
export function carry(from: Site, to: Site, backup: string): void {
  for (const name of ["root.key", "audit.key"])
    cpSync(join(from.machine.folder, "media/safe", name), join(to.machine.folder, "media/safe", name));
  cpSync(join(from.machine.folder, backup), join(to.machine.folder, "media/backup/first.backup"));
  Bun.spawnSync(["chown", "-R", `${USER}:${USER}`, join(to.machine.folder, "media")]);
}
