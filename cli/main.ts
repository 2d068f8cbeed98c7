// Entry point of the executable. The version is answered before anything else is loaded; it is what scripts and
// installers ask most often.
import { version } from "../package.json";

/** Words after which a server may run in this process; all other commands are spared from loading it. */
const SERVING = ["serve", "exec", "mcp"];

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
  if (argv.join(" ") === "tools list") {
    const { main }: typeof import("./listing") = await entry("listing");
    const code = await main();
    if (code !== undefined) return code;
  }
  const serving = argv.some((word) => SERVING.includes(word));
  const { main }: typeof import("./serving") = await entry(serving ? "serving" : "program");
  return main(argv);
}

// The build makes an entry of its own of each. A name that the bundler could read would pull all of it in here, and
// everybody who asks for the version would wait for it.
function entry(name: "listing" | "program" | "serving") {
  return import(`./${name}.js`);
}
