// The package of Debian, installed: by dpkg in a root of its own, under systemd, and under the restrictions of its unit.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { writeDebianPackage } from "../../build/debian/package";
import { serviceManager } from "../support/service-manager";
import { blocksOf } from "../support/blocks";
import { testIfAllowed, testWith } from "../support/require";
import { boot, type Booted, cgroups } from "./booted";
import { run, VERSION } from "./made";

const UNIT = "lib/systemd/system/runtime.service";
const COMMAND = ["runtime", "--config", "/etc/runtime/runtime.yaml"];
const PROGRAM = "usr/local/bin/look-around";

export function debianTests(release: string, scratch: () => string): void {
  const file = join(release, `runtime_${VERSION}_amd64.deb`);
  let root = "";
  const inRoot = (...command: string[]): Promise<string> => {
    const alone = ["unshare", "--pid", "--fork", `--mount-proc=${within("proc")}`];
    return run([...alone, "chroot", root, ...command], "/", { HOME: "/root" });
  };
  const within = (path: string): string => join(root, path);

  /** Installs a package file in the root. */
  const install = async (deb: string): Promise<void> => {
    copyFileSync(deb, within("package.deb"));
    await inRoot("dpkg", "--install", "/package.deb");
    rmSync(within("package.deb"));
  };

  beforeAll(async () => {
    root = join(mkdtempSync(join(scratch(), "root-")), "root");
    await run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd", "bookworm", root], "/");
  }, 300_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  testWith("lintian", Bun.which("lintian") !== null)(
    "lintian has no error and no warning, and each override of ours is needed",
    async () => {
      const output = await run(
        ["lintian", "--allow-root", "--show-overrides", "--tag-display-limit=0", "--fail-on=none", file],
        "/",
      );
      const tags = [...output.matchAll(/^O: runtime: ([\w-]+)/gm)].map((match) => match[1]);

      expect(output).not.toMatch(/^[EW]: /m);
      expect([...new Set(tags)].toSorted()).toEqual([
        "embedded-library",
        "hardening-no-pie",
        "hardening-no-relro",
        "unstripped-binary-or-object",
      ]);
      expect(output).not.toContain("unused-override");
    },
    120_000,
  );

  test("installs, is upgraded, removed and purged", async () => {
    const older = join(scratch(), "older.deb");
    const executable = within("older-runtime");
    writeFileSync(executable, "#!/bin/sh\necho older\n", { mode: 0o755 });
    await writeDebianPackage({
      version: `${VERSION}~1`,
      arch: "x64",
      executable,
      glibc: "2.17",
      copyright: "Files: *\n",
      date: new Date(0),
      outfile: older,
    });
    await install(older);
    const keys = ["root.key", "audit.key"].map((name) => within(`etc/runtime/${name}`));
    const before = keys.map((key) => readFileSync(key, "utf8"));
    for (const key of keys) expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(await inRoot("stat", "-c", "%U:%G %a", "/var/lib/runtime", "/etc/runtime")).toBe(
      "runtime:runtime 700\nruntime:runtime 750\n",
    );
    appendFileSync(within("etc/runtime/runtime.yaml"), "port: 9199\n");

    await install(file);

    expect(await inRoot("runtime", "--version")).toBe(`${VERSION}\n`);
    expect(keys.map((key) => readFileSync(key, "utf8"))).toEqual(before);
    expect(
      await inRoot("runuser", "-u", "runtime", "--", ...COMMAND, "config", "show", "-o", "json"),
    ).toContain("9199");
    // A script that was interrupted runs again.
    await inRoot("/var/lib/dpkg/info/runtime.postinst", "configure", VERSION);
    expect(keys.map((key) => readFileSync(key, "utf8"))).toEqual(before);
    writeFileSync(within("var/lib/runtime/note"), "data");

    await inRoot("dpkg", "--remove", "runtime");
    expect(existsSync(within("usr/bin/runtime"))).toBe(false);
    expect(readFileSync(within("var/lib/runtime/note"), "utf8")).toBe("data");
    expect(keys.map((key) => readFileSync(key, "utf8"))).toEqual(before);

    await inRoot("dpkg", "--purge", "runtime");
    expect(existsSync(within("var/lib/runtime"))).toBe(false);
    expect(existsSync(within("etc/runtime"))).toBe(false);
    await inRoot("dpkg", "--purge", "runtime");
    // For the tests that follow.
    await install(file);
  }, 120_000);

  test("systemd finds no fault in the unit, and rates its exposure at most 2 of 10", async () => {
    expect(await inRoot("systemd-analyze", "verify", "--man=no", `/${UNIT}`)).toBe("");
    expect(
      await inRoot("systemd-analyze", "security", "--offline=true", "--threshold=20", `/${UNIT}`),
    ).toContain("Overall exposure level");
  });

  testWith("bubblewrap", Bun.which("bwrap") !== null)(
    "ExecStart runs under the restrictions of the unit, and reports that it is ready and alive",
    async () => {
      const unit = readFileSync(within(UNIT), "utf8");
      const start = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
      const state = mkdtempSync(join(scratch(), "state-"));
      const [user = ""] =
        /^runtime:x:(\d+)/m.exec(readFileSync(within("etc/passwd"), "utf8"))?.slice(1) ?? [];
      // The user of the service enters the namespaces, so it must reach their parts.
      for (const folder of [scratch(), join(root, ".."), state]) chmodSync(folder, 0o755);
      chownSync(state, Number(user), Number(user));
      const manager = await serviceManager({ abstract: true });
      const variables: Record<string, string> = {
        ...Object.fromEntries(
          [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
        ),
        NOTIFY_SOCKET: manager.socket,
        WATCHDOG_USEC: "1000000",
        CREDENTIALS_DIRECTORY: "/run/credentials",
        RUNTIME_PORT: "0",
      };
      const credentials = [...unit.matchAll(/^LoadCredential=([\w.]+):(.*)$/gm)].flatMap(
        ([, name = "", path = ""]) => ["--ro-bind", within(path), `/run/credentials/${name}`],
      );
      const assignments = Object.entries(variables).flatMap(([name, value]) => [
        "--setenv",
        name,
        value.replace("%d", "/run/credentials"),
      ]);
      const as = `setpriv --reuid ${user} --regid ${user} --clear-groups`;
      const place = `--ro-bind ${root} / --bind ${state} /var/lib/runtime --tmpfs /tmp --tmpfs /run --proc /proc --dev /dev`;
      const alone =
        `${as} bwrap --unshare-all --share-net --die-with-parent --cap-drop ALL --clearenv ${place}`.split(
          " ",
        );
      const command = [...alone, ...credentials, ...assignments, ...start];
      const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
      const ended = child.exited.then(async (code) => {
        throw new Error(`ended with ${code}: ${await child.stderr.text()}`);
      });

      await Promise.race([manager.notice("READY=1"), ended]);
      await Promise.race([manager.notice("WATCHDOG=1"), ended]);
      expect(existsSync(join(state, "runtime.db"))).toBe(true);
      child.kill("SIGTERM");
      await ended.catch(() => undefined);
    },
    60_000,
  );

  const groups = cgroups();
  describe("under systemd", () => {
    let system: Booted | undefined;
    const command = async (...words: string[]): Promise<string> => {
      if (system === undefined) throw new Error("the root has not booted");
      const { code, output, errors } = await system.run(...words);
      if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${output}${errors}`);
      return output;
    };
    const asService = (...words: string[]): Promise<string> =>
      command("runuser", "-u", "runtime", "--", ...COMMAND, ...words);
    const property = async (name: string): Promise<string> =>
      (await command("systemctl", "show", "--value", "-p", name, "runtime")).trim();

    beforeAll(async () => {
      if (groups === undefined) return;
      writeFileSync(within(PROGRAM), LOOK_AROUND, { mode: 0o755 });
      mkdirSync(within("etc/systemd/system/runtime.service.d"), { recursive: true });
      writeFileSync(
        within("etc/systemd/system/runtime.service.d/watchdog.conf"),
        "[Service]\nWatchdogSec=2\n",
      );
      system = await boot(root, groups);
    }, 60_000);
    afterAll(() => system?.[Symbol.asyncDispose]());
    const bootTest = testIfAllowed("systemd in namespaces of its own", groups !== undefined);

    bootTest("the service is ready, reloads, and serves the keys that its administrator makes", async () => {
      expect(await property("ActiveState")).toBe("active");
      expect(await property("StatusText")).toBe("Serving at http://127.0.0.1:9099");
      await command("systemctl", "reload", "runtime");
      const { key } = JSON.parse(
        await asService("keys", "create", "test", "--role", "admin", "-o", "json"),
      ) as {
        key: string;
      };
      const environment = [`RUNTIME_API_KEY=${key}`, "RUNTIME_SERVER=http://127.0.0.1:9099"];
      expect(
        await command("env", ...environment, "runtime", "status", "--fields", "healthy", "--no-headers"),
      ).toContain("true");
      expect(await property("NRestarts")).toBe("0");
    });

    bootTest("programs run in their cage, and read neither data nor keys", async () => {
      await asService("workers", "create", "--id", "look", "--yes", "--server", "local", "--", `/${PROGRAM}`);
      const { key } = JSON.parse(await asService("keys", "create", "look", "-o", "json")) as { key: string };
      const environment = [`RUNTIME_API_KEY=${key}`, "RUNTIME_SERVER=http://127.0.0.1:9099"];

      const seen = await command(
        "env",
        ...environment,
        "runtime",
        "tools",
        "exec",
        "Look.look",
        "--user",
        "alice",
      );

      expect(seen.trim().split("; ")).toEqual([
        "/etc/hostname=open",
        "/var/lib/runtime/runtime.db=Permission denied",
        "/run/credentials/runtime.service/root.key=Permission denied",
        "/etc/runtime/root.key=Permission denied",
        "/etc/runtime/runtime.yaml=Permission denied",
        "home=written",
        "NOTIFY_SOCKET=none",
      ]);
    });

    bootTest("a server that hangs is restarted by the watchdog", async () => {
      const frozen = await property("MainPID");
      await command("sh", "-c", `kill -STOP ${frozen}`);

      while ((await property("NRestarts")) === "0") await Bun.sleep(100);
      while ((await property("ActiveState")) !== "active") await Bun.sleep(100);
      expect(await property("MainPID")).not.toBe(frozen);
    });

    bootTest("it stops cleanly", async () => {
      await command("systemctl", "stop", "runtime");

      expect([await property("Result"), await property("ExecMainStatus")]).toEqual(["success", "0"]);
    });

    bootTest(
      "the commands of docs/install.md install, change and remove it",
      async () => {
        copyFileSync(file, within(`root/runtime_${VERSION}_amd64.deb`));
        const blocks = blocksOf("docs/install.md").filter(
          ({ language, text }) => language === "sh" && !text.startsWith("docker"),
        );
        const [removal] = blocks.splice(-1);
        const paste = (text = ""): Promise<string> => command("sh", "-ec", `cd /root\n${text}`);

        await command("dpkg", "--purge", "runtime");
        for (const { text } of blocks) await paste(text);

        expect(await property("StatusText")).toBe("Serving at http://127.0.0.1:9099");
        expect(await asService("keys", "list", "-o", "json")).toContain('"admin"');
        expect(blocks).toHaveLength(4);
        await paste(removal?.text);
        expect(existsSync(within("var/lib/runtime"))).toBe(false);
        expect(existsSync(within("etc/runtime"))).toBe(false);
      },
      120_000,
    );
  });
}

// An MCP server without a runtime of its own: it tells what it can open.
const LOOK_AROUND = String.raw`#!/usr/bin/perl
$| = 1;
while (<STDIN>) {
  my ($id) = /"id"\s*:\s*("[^"]*"|\d+)/ or next;
  my ($method) = /"method"\s*:\s*"([^"]+)"/;
  my $result = "{}";
  if ($method eq "initialize") {
    my ($version) = /"protocolVersion"\s*:\s*"([^"]+)"/;
    $result = qq({"protocolVersion":"$version","capabilities":{"tools":{}},"serverInfo":{"name":"look","version":"1"}});
  } elsif ($method eq "tools/list") {
    $result = qq({"tools":[{"name":"look","description":"Looks around","inputSchema":{"type":"object","properties":{}}}]});
  } elsif ($method eq "tools/call") {
    my @paths = ("/etc/hostname", "/var/lib/runtime/runtime.db", "/run/credentials/runtime.service/root.key",
      "/etc/runtime/root.key", "/etc/runtime/runtime.yaml");
    my @seen = map { "$_=" . (open(my $file, "<", $_) ? "open" : "$!") } @paths;
    push @seen, "home=" . (open(my $file, ">", "$ENV{HOME}/note") ? "written" : "$!");
    push @seen, "NOTIFY_SOCKET=" . ($ENV{NOTIFY_SOCKET} // "none");
    $result = '{"content":[{"type":"text","text":"' . join("; ", @seen) . '"}]}';
  }
  print qq({"jsonrpc":"2.0","id":$id,"result":$result}\n);
}
`;
