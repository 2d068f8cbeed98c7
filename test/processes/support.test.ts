// What is said where the kernel has no cage.
import { expect, test } from "bun:test";
import { ProcessRefused } from "../../src/processes";
import { cageSupport, type KernelFacts } from "../../src/processes/cage/support";
import { hostForTest, outputOf, shell } from "./support/programs";

const GOOD: KernelFacts = {
  platform: "linux",
  architecture: "x64",
  landlock: () => ({ version: 6, error: 0 }),
  filters: () => true,
};

test("Landlock 6 and seccomp are enough, on both architectures", () => {
  for (const architecture of ["x64", "arm64"])
    expect(cageSupport({ ...GOOD, architecture })).toEqual({ supported: true, landlockAbi: 6 });
});

const MISSING: readonly (readonly [string, Partial<KernelFacts>, string])[] = [
  ["another system", { platform: "darwin" }, "needs Linux"],
  ["another architecture", { architecture: "riscv64" }, "riscv64"],
  ["an older kernel", { landlock: () => ({ version: 5, error: 0 }) }, "this kernel has ABI 5"],
  ["a kernel without Landlock", { landlock: () => ({ version: 0, error: 38 }) }, "does not offer it"],
  ["Landlock that is off", { landlock: () => ({ version: 0, error: 95 }) }, "turned off"],
  ["a kernel without filters", { filters: () => false }, "seccomp"],
];

test.each(MISSING)("%s is not supported, with the reason", (_, facts, words) => {
  const { supported, reason } = cageSupport({ ...GOOD, ...facts });

  expect(supported).toBe(false);
  expect(reason).toContain(words);
});

test("where there is no cage, a program starts only with sandbox: none", async () => {
  const support = () => ({ supported: false, reason: "This kernel is old.", landlockAbi: 3 });
  const host = hostForTest({ support });

  const caged = host.start(shell("echo caged"));
  await expect(caged).rejects.toThrow(ProcessRefused);
  await expect(caged).rejects.toThrow('This kernel is old. Set "sandbox: none"');

  expect(await outputOf(await host.start(shell("echo free", { sandbox: "none" })))).toBe("free\n");
});
