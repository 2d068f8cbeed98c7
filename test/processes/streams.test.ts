// Input, output and errors of a program: bounded in both directions.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { Redacted } from "../../src/base";
import { ProcessRefused } from "../../src/processes";
import { within5Seconds } from "./support/left";
import { hostForTest, outputOf, shell } from "./support/programs";

const FREE = { sandbox: "none" } as const;
const MEGABYTE = 1_048_576;

test("lines are written and read in order", async () => {
  const running = await hostForTest().start(shell("exec cat", FREE));
  const lines = Array.from({ length: 50 }, (_, index) => `${index} ${"x".repeat(20_000)}`);

  await Promise.all([
    ...lines.map((line) => running.write(line)),
    (async () => {
      const reader = running.output.getReader();
      const decoder = new TextDecoder();
      let text = "";
      while (text.length < lines.join("\n").length + 1)
        text += decoder.decode((await reader.read()).value, { stream: true });
      expect(text).toBe(`${lines.join("\n")}\n`);
    })(),
  ]);
});

test("a gigabyte that is not read stays with the program", async () => {
  const before = process.memoryUsage.rss();
  const script = "head -c 1000000000 /dev/zero & exec sleep 60";
  const running = await hostForTest().start(shell(script, FREE));
  await running.output.getReader().read();
  await Bun.sleep(500);

  expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MEGABYTE);
});

test("a gigabyte passes to a reader", async () => {
  const running = await hostForTest().start(shell("exec head -c 1000000000 /dev/zero", FREE));

  let bytes = 0;
  for await (const chunk of running.output) bytes += chunk.length;

  expect(bytes).toBe(1_000_000_000);
  expect(await running.ended).toEqual({ code: 0, signal: null });
}, 60_000);

test("input that the program does not read is bounded", async () => {
  const running = await hostForTest().start(shell("exec sleep 60", FREE));
  const line = "x".repeat(4 * MEGABYTE);
  const writes = Array.from({ length: 5 }, () => running.write(line).catch((error: Error) => error.message));

  expect(await writes[4]).toBe("the program does not read its standard input");
  await running.end();
  expect(await writes[0]).toBe("the program has ended");
});

test("a line after the end is rejected", async () => {
  const running = await hostForTest().start(shell("exit 0", FREE));
  await running.ended;

  await expect(running.write("{}")).rejects.toThrow("the program has ended");
});

test("the end of a program closes its input", async () => {
  const running = await hostForTest().start(shell("cat > /dev/null; echo closed > $HOME/end", FREE));

  await running.end();

  expect(await running.ended).toEqual({ code: 0, signal: null });
});

test("the last lines of standard error are kept", async () => {
  const script = "for i in $(seq 1 30); do echo line $i >&2; done; printf unfinished >&2";
  const running = await hostForTest().start(shell(script, FREE));
  await running.ended;

  expect(await within5Seconds(() => running.lastErrors().at(-1) === "unfinished")).toBe(true);
  expect(running.lastErrors()).toHaveLength(20);
  expect(running.lastErrors().at(-2)).toBe("line 30");
});

test("standard error without end is read slowly, and not kept", async () => {
  const before = process.memoryUsage.rss();
  const running = await hostForTest().start(shell("exec cat /dev/zero >&2", FREE));
  await Bun.sleep(1_000);
  const counts = readFileSync(`/proc/${running.pid}/io`, "utf8");

  // Without a limit it is a gigabyte or more.
  expect(Number(/^wchar: (\d+)$/m.exec(counts)?.[1])).toBeLessThan(50 * MEGABYTE);
  expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MEGABYTE);
  expect(running.lastErrors().join("").length).toBeLessThan(2_000);
});

test("secrets of the environment do not appear among the errors", async () => {
  const environment = { KEY: new Redacted("canary-1234"), NAME: "plain-value" };
  const script = 'echo "failed with $KEY and $NAME" >&2';
  const running = await hostForTest().start(shell(script, { ...FREE, environment }));
  await running.ended;

  await within5Seconds(() => running.lastErrors().length > 0);
  expect(running.lastErrors()).toEqual(["failed with [redacted] and plain-value"]);
});

test("a program that uses more memory than its limit is stopped", async () => {
  const limits = { memoryBytes: 100 * MEGABYTE };
  // A shell keeps what it reads into a variable.
  const script = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 60";
  const running = await hostForTest().start(shell(script, { ...FREE, limits }));

  const end = await running.ended;

  expect(end.reason).toBe("It used more than 100 MB of memory.");
}, 30_000);

test("a closed host starts nothing and has ended everything", async () => {
  const host = hostForTest();
  const running = await host.start(shell("exec sleep 60", FREE));

  await host.close();

  expect((await running.ended).signal).toBe("SIGTERM");
  await expect(host.start(shell("exit 0", FREE))).rejects.toThrow(ProcessRefused);
});

test("a host starts programs again after its supervisor was killed", async () => {
  const host = hostForTest();
  const first = await host.start(shell("echo $PPID; exec sleep 60", FREE));
  const { value } = await first.output.getReader().read();
  process.kill(Number(new TextDecoder().decode(value)), "SIGKILL");

  expect((await first.ended).reason).toBe("The supervisor of programs was ended.");
  expect(await outputOf(await host.start(shell("echo again", FREE)))).toBe("again\n");
});

test("a program that has ended leaves no open file", async () => {
  const host = hostForTest();
  const once = async (): Promise<void> => {
    const running = await host.start(shell("cat; echo done; echo fault >&2", FREE));
    await running.write("line");
    await running.output.getReader().read();
    await running.end();
  };
  const open = (): number => readdirSync("/proc/self/fd").length;
  await once();
  const before = open();

  for (let round = 0; round < 10; round++) await once();

  expect(await within5Seconds(() => open() <= before)).toBe(true);
});
