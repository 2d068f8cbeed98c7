// Entry point of the executable. The version is printed before any other module is loaded, because scripts and installers
// request it most often.
import { version } from "../package.json";

const argv = process.argv.slice(2);
if (argv.length === 1 && ["--version", "-V"].includes(argv[0] ?? "")) {
  // Without `writeAll`: loading `node:fs` would take a quarter of the total time.
  void Bun.write(Bun.stdout, `${version}\n`).catch(reportWriteError);
} else {
  void run().then((code) => process.exit(code));
}

/** A closed pipe is not an error, as in `writeAll`; a full disk is. */
function reportWriteError(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
  const reason = error instanceof Error ? error.message : "unknown reason";
  console.error(`error: Standard output cannot be written: ${reason}`);
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const role = argv[0];
  // Processes that the server starts to run programs of others. They load no configuration and no other part.
  if (/^process-(?:watchdog|supervisor|launcher)$/.test(role ?? ""))
    return (await import("../src/processes/roles")).runRole(role ?? "", argv[1]);
  if (argv.some((word) => word.includes("\uFFFD")) && !(await isUtf8())) {
    console.error("error: An argument is not UTF-8 text. Use only UTF-8 arguments.");
    return 2;
  }
  const { main } = await import("./program");
  return main(argv);
}

// Invalid UTF-8 arrives as U+FFFD, so that two different names would be equal. If the system provides the bytes, arguments
// that really contain this character are accepted.
async function isUtf8(): Promise<boolean> {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(await Bun.file("/proc/self/cmdline").bytes());
    return true;
  } catch {
    return false;
  }
}
