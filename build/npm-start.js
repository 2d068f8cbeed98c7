#!/usr/bin/env node
// Starts the executable of this system, which is in a package of its own.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = "NAME";
const targets = "TARGETS";

// The reports of Node on glibc have its version.
function libcSuffix() {
  if (process.platform !== "linux") return "";
  process.report.excludeNetwork = true;
  const { header } = process.report.getReport();
  return header.glibcVersionRuntime === undefined ? "-musl" : "";
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function executable() {
  const target = `${process.platform}-${process.arch}${libcSuffix()}`;
  if (!targets.includes(target))
    fail(`${name} does not run on ${target}. It runs on: ${targets.join(", ")}.`);
  try {
    return require.resolve(`${name}-${target}/bin/runtime`);
  } catch {
    const { version } = require("../package.json");
    return fail(
      `The package ${name}-${target} is missing; it is an optional dependency of ${name}. Install it with: npm install ${name}-${target}@${version}`,
    );
  }
}

const child = spawn(executable(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${child.spawnfile} does not start: ${error.message}`));
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"])
  process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal that does not end this process.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
});
