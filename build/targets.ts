// The systems that there are executables for, and how one is made.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Commit, commitOf } from "./commit";
import { plugins } from "./plugins";
import { type RuntimePackage, runtimeOf } from "./runtimes";

export interface Target {
  name: string;
  os: "linux" | "darwin";
  arch: "x64" | "arm64";
  /** Of Linux only. */
  libc?: "glibc" | "musl";
  bunTarget: Bun.Build.CompileTarget;
  runtime: RuntimePackage;
}

export const TARGETS = [
  {
    name: "linux-x64",
    os: "linux",
    arch: "x64",
    libc: "glibc",
    bunTarget: "bun-linux-x64",
    runtime: {
      name: "@oven/bun-linux-x64",
      integrity:
        "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
    },
  },
  {
    name: "linux-arm64",
    os: "linux",
    arch: "arm64",
    libc: "glibc",
    bunTarget: "bun-linux-arm64",
    runtime: {
      name: "@oven/bun-linux-aarch64",
      integrity:
        "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
    },
  },
  {
    name: "linux-x64-musl",
    os: "linux",
    arch: "x64",
    libc: "musl",
    bunTarget: "bun-linux-x64-musl",
    runtime: {
      name: "@oven/bun-linux-x64-musl",
      integrity:
        "sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==",
    },
  },
  {
    name: "linux-arm64-musl",
    os: "linux",
    arch: "arm64",
    libc: "musl",
    bunTarget: "bun-linux-arm64-musl",
    runtime: {
      name: "@oven/bun-linux-aarch64-musl",
      integrity:
        "sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==",
    },
  },
  {
    name: "darwin-arm64",
    os: "darwin",
    arch: "arm64",
    bunTarget: "bun-darwin-arm64",
    runtime: {
      name: "@oven/bun-darwin-aarch64",
      integrity:
        "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
    },
  },
  {
    name: "darwin-x64",
    os: "darwin",
    arch: "x64",
    bunTarget: "bun-darwin-x64",
    runtime: {
      name: "@oven/bun-darwin-x64",
      integrity:
        "sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==",
    },
  },
] as const satisfies readonly Target[];

export type TargetName = (typeof TARGETS)[number]["name"];

export interface ExecutableOptions {
  /** One of `TARGETS`; without it, this system, with the executable of the running Bun. */
  target?: string;
  outfile: string;
  /** A folder with the archives of the runtime packages; without it, npm gets them. */
  runtimes?: string;
}

export interface Executable {
  path: string;
  /** The files in it, relative to the root of the checkout: sources, and modules and assets of packages. */
  inputs: string[];
  commit: Commit | undefined;
}

type System = Pick<Bun.CompileBuildOptions, "target" | "executablePath">;

const ROOT = join(import.meta.dir, "..");

/** @throws Error for an unknown name, with the names that exist. */
export function targetOf(name: string): Target {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined)
    throw new Error(`Unknown target ${name}. Targets: ${TARGETS.map((one) => one.name).join(", ")}.`);
  return target;
}

/** Builds the executable for one target. */
export async function buildExecutable(options: ExecutableOptions): Promise<Executable> {
  if (options.target === undefined) return bundle(options.outfile, {});
  const target = targetOf(options.target);
  const folder = join(tmpdir(), `runtime-build-${crypto.randomUUID()}`);
  try {
    const executablePath = await runtimeOf(target.runtime, folder, options.runtimes);
    return await bundle(options.outfile, { target: target.bunTarget, executablePath });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The name of the file that Bun writes becomes part of its bytes, so it is always the same one.
async function bundle(outfile: string, system: System): Promise<Executable> {
  const commit = commitOf(ROOT);
  mkdirSync(dirname(outfile), { recursive: true });
  const folder = mkdtempSync(join(dirname(outfile), ".build-"));
  try {
    const built = join(folder, "runtime");
    const inputs = await compile(built, system, commit);
    renameSync(built, outfile);
    return { path: outfile, inputs, commit };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compile(outfile: string, system: System, commit: Commit | undefined): Promise<string[]> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, "cli/main.ts")],
    root: ROOT,
    target: "bun",
    // With bytecode the default is cjs, which cannot be split.
    format: "esm",
    minify: true,
    bytecode: true,
    // For readable stack traces. The separate map files are deleted with their folder.
    sourcemap: "linked",
    // Dynamically imported modules become chunks that are loaded on demand. With circular imports, chunks may run in the
    // wrong order; a project rule forbids circular imports.
    splitting: true,
    metafile: true,
    define: { RUNTIME_BUILD: JSON.stringify(commit) ?? "undefined" },
    plugins,
    compile: {
      outfile,
      // By default the executable would read .env and bunfig.toml in its working folder.
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...system,
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  return Object.keys(result.metafile?.inputs ?? {}).sort();
}
