// Entry point of the executable. The version is answered before anything else is loaded; it is what scripts and
// installers ask most often.
import { version } from "../package.json";

const argv = process.argv.slice(2);
if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
  // Not by `writeAll`: the file system's module takes a quarter of the time of all this to load.
  void Bun.write(Bun.stdout, `${version}\n`).catch(notWritten);
} else {
  void run().then((code) => process.exit(code));
}

/** As everywhere: who has stopped reading is no error, a full disk is. */
function notWritten(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
  const reason = error instanceof Error ? error.message : "unknown reason";
  console.error(`error: Standard output cannot be written: ${reason}`);
  process.exitCode = 1;
}

async function run(): Promise<number> {
  if (argv.some((word) => word.includes("\uFFFD")) && !(await isText())) {
    console.error("error: An argument is not UTF-8 text. What it stands for would be lost.");
    return 2;
  }
  const { main } = await import("./program");
  return main(argv);
}

// What is not UTF-8 arrives as U+FFFD: two different names would be one. Where the system tells the bytes, an argument that
// holds that very character passes.
async function isText(): Promise<boolean> {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(await Bun.file("/proc/self/cmdline").bytes());
    return true;
  } catch {
    return false;
  }
}
