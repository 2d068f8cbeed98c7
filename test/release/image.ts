// The image: what the programs of others read in it, and the server from its unpacked root, as a container engine runs it.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { headersOf } from "../../build/headers";
import { writeImage } from "../../build/image/image";
import { testWith } from "../support/require";
import { run, VERSION } from "./made";

const USER = 65_532;

interface ImageConfig {
  architecture: string;
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    ExposedPorts: object;
    Volumes: object;
    Healthcheck: { Test: string[] };
  };
}

export function imageTests(release: string, scratch: () => string): void {
  const archiveOf = (architecture: string): string =>
    join(release, `runtime-${VERSION}-image-${architecture}.oci.tar`);
  const skopeo = testWith("skopeo", Bun.which("skopeo") !== null);
  const tools = ["skopeo", "umoci", "bwrap"].every((name) => Bun.which(name) !== null);

  const configOf = async (architecture: string): Promise<ImageConfig> =>
    JSON.parse(
      await run(["skopeo", "inspect", "--config", "--raw", `oci-archive:${archiveOf(architecture)}`], "/"),
    ) as ImageConfig;

  skopeo.each(["amd64", "arm64"])("skopeo reads and copies the image for %s", async (architecture) => {
    const { config, ...rest } = await configOf(architecture);
    // A copy compares every digest.
    await run(
      ["skopeo", "copy", `oci-archive:${archiveOf(architecture)}`, `dir:${scratch()}/copy-${architecture}`],
      "/",
    );

    expect(rest.architecture).toBe(architecture);
    expect(config).toMatchObject({
      User: `${USER}:${USER}`,
      Entrypoint: ["/usr/bin/runtime"],
      Cmd: ["serve"],
      ExposedPorts: { "9099/tcp": {} },
      Volumes: { "/var/lib/runtime": {} },
    });
  });

  describe("from the unpacked image", () => {
    let container: Container | undefined;
    afterAll(() => container?.stop());

    testWith("skopeo, umoci and bubblewrap", tools)(
      "the server runs with a read-only root, without rights, as the first process",
      async () => {
        const bundle = join(scratch(), "bundle");
        const layout = join(scratch(), "layout");
        await run(["skopeo", "copy", `oci-archive:${archiveOf("amd64")}`, `oci:${layout}:runtime`], "/");
        await run(["umoci", "unpack", "--rootless", "--image", `${layout}:runtime`, bundle], "/");
        const { config } = await configOf("amd64");
        container = new Container(join(bundle, "rootfs"), config, mkdtempSync(join(scratch(), "volumes-")));

        // Without a key it does not invent one that would be lost.
        expect(await container.fails()).toMatch(/root key/i);
        container.addKeys();
        await container.start();
        expect((await container.healthcheck()).code).toBe(0);
        const created = await container.run("keys", "create", "test", "-o", "json");
        expect(Object(JSON.parse(created.output))).toHaveProperty("key");
        expect((await container.run("secrets", "set", "TOKEN", "-")).code).toBe(0);
        expect(await container.stop()).toBe(0);
        expect((await container.healthcheck()).code).not.toBe(0);

        await container.start();
        expect((await container.run("secrets", "list", "-o", "json")).output).toContain("TOKEN");
        expect((await container.run("status", "--fields", "healthy,keys", "-o", "json")).output).toContain(
          '"keys": 1',
        );
        expect(await container.stop()).toBe(0);
      },
      120_000,
    );

    testWith("skopeo, umoci and bubblewrap", tools)(
      "the image has licences, no shell, and no program that gains rights",
      () => {
        const root = join(scratch(), "bundle", "rootfs");
        const files = [...new Bun.Glob("**").scanSync({ cwd: root, dot: true, onlyFiles: true })];

        expect(files.filter((file) => /(^|\/)s?bin\//.test(file))).toEqual(["usr/bin/runtime"]);
        expect(files.filter((file) => (statSync(join(root, file)).mode & 0o6000) !== 0)).toEqual([]);
        for (const name of ["runtime/LICENSES.txt", "libc6/copyright", "ca-certificates/copyright"])
          expect(readFileSync(join(root, "usr/share/doc", name), "utf8").length).toBeGreaterThan(100);
        expect(
          readFileSync(join(root, "etc/ssl/certs/ca-certificates.crt"), "utf8").match(/BEGIN CERTIFICATE/g)
            ?.length,
        ).toBeGreaterThan(100);
      },
    );
  });

  test("the same parts make the same bytes", async () => {
    const packages = join(scratch(), "packages");
    mkdirSync(packages, { recursive: true });
    const executable = "/usr/bin/true";
    const write = async (name: string): Promise<Uint8Array> => {
      const outfile = join(scratch(), name);
      await writeImage({
        product: { name: "runtime", version: VERSION, description: "" },
        architecture: "amd64",
        executable,
        headers: headersOf(executable),
        licences: "",
        revision: undefined,
        date: new Date(1_700_000_000_000),
        outfile,
        debian: {
          scratch: packages,
          packages: existsSync(join(packages, "packages-amd64"))
            ? join(packages, "packages-amd64")
            : undefined,
        },
      });
      return Bun.file(outfile).bytes();
    };

    const first = await write("first.oci.tar");
    expect(Buffer.compare(first, await write("second.oci.tar"))).toBe(0);
  });
}

/** What a container engine does with the configuration of an image. */
class Container {
  readonly #root: string;
  readonly #config: ImageConfig["config"];
  readonly #volumes: string;
  #child: Bun.Subprocess<"ignore", "ignore", "pipe"> | undefined;
  #first = 0;

  constructor(root: string, config: ImageConfig["config"], volumes: string) {
    this.#root = root;
    this.#config = config;
    this.#volumes = volumes;
    for (const name of ["data", "keys"]) mkdirSync(join(volumes, name), { mode: 0o700 });
  }

  addKeys(): void {
    const random = crypto.getRandomValues(new Uint8Array(32));
    writeFileSync(join(this.#volumes, "keys/root.key"), Buffer.from(random).toString("base64"), {
      mode: 0o400,
    });
    Bun.spawnSync([
      "openssl",
      "genpkey",
      "-algorithm",
      "ed25519",
      "-out",
      join(this.#volumes, "keys/audit.key"),
    ]);
  }

  #command(...more: string[]): string[] {
    const [uid, gid] = this.#config.User.split(":");
    const variables = this.#config.Env.flatMap((entry) => {
      const [name = "", ...value] = entry.split("=");
      return ["--setenv", name, value.join("=")];
    });
    const place = [
      "--ro-bind",
      this.#root,
      "/",
      "--bind",
      join(this.#volumes, "data"),
      "/var/lib/runtime",
      "--ro-bind",
      join(this.#volumes, "keys"),
      "/etc/runtime",
      "--tmpfs",
      "/tmp",
      "--proc",
      "/proc",
      "--dev",
      "/dev",
    ];
    const alone = `bwrap --unshare-all --as-pid-1 --cap-drop ALL --clearenv --uid ${uid} --gid ${gid}`.split(
      " ",
    );
    return [...alone, ...variables, ...place, ...more, ...this.#config.Entrypoint, ...this.#config.Cmd];
  }

  /** The error of a start that fails. */
  async fails(): Promise<string> {
    const child = Bun.spawn(this.#command(), { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const text = await child.stderr.text();
    expect(await child.exited).not.toBe(0);
    return text;
  }

  async start(): Promise<void> {
    const info = join(this.#volumes, "info");
    const command = ["sh", "-c", `exec "$@" 9>${info}`, "sh", ...this.#command("--info-fd", "9")];
    this.#child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const { promise, resolve } = Promise.withResolvers<void>();
    void (async (stream) => {
      for await (const bytes of stream) if (new TextDecoder().decode(bytes).includes("\n")) resolve();
    })(this.#child.stderr);
    await promise;
    this.#first = Number(Object(JSON.parse(readFileSync(info, "utf8")))["child-pid"]);
  }

  /** Runs the executable with these words in the container, as `docker exec --interactive` does. */
  async run(...words: string[]): Promise<{ code: number; output: string }> {
    const place = [`--target=${this.#first}`, "-U", "-m", "-p", "-n", "-i", "-u", "--preserve-credentials"];
    const command = ["nsenter", ...place, `--root=/proc/${this.#first}/root`, "/usr/bin/runtime", ...words];
    const env = Object.fromEntries(this.#config.Env.map((entry) => entry.split("=", 2)));
    const stdin = new TextEncoder().encode("a secret");
    const child = Bun.spawn(command, { env, stdin, stdout: "pipe", stderr: "ignore" });
    const output = await child.stdout.text();
    return { code: await child.exited, output };
  }

  healthcheck(): Promise<{ code: number; output: string }> {
    const [kind, program, ...words] = this.#config.Healthcheck.Test;
    expect([kind, program]).toEqual(["CMD", "/usr/bin/runtime"]);
    return this.run(...words);
  }

  /** The exit code of the server. */
  async stop(): Promise<number> {
    if (this.#child === undefined || this.#child.exitCode !== null) return -1;
    process.kill(this.#first, "SIGTERM");
    return this.#child.exited;
  }
}
