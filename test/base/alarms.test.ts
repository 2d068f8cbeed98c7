// Alarms: each rings once, at its time, unless it is cancelled; others of the same length do not affect it.
import { describe, expect, test } from "bun:test";
import { setAlarm } from "../../src/base";

const SHORT = 21;
const rung = (): { times: number; ring: () => void } => {
  const count = { times: 0, ring: () => void (count.times += 1) };
  return count;
};

/** When alarms of `SHORT` have rung. Alarms are put off if the machine is slow, so a sleep could end before. */
const later = (): Promise<void> => new Promise((resolve) => setAlarm(4 * SHORT, resolve));

describe("an alarm", () => {
  test("rings once, not before it is due", async () => {
    const order: string[] = [];
    const late = new Promise<void>((resolve) => setAlarm(300, resolve)).then(() => order.push("300 ms"));
    await new Promise<void>((resolve) => setAlarm(SHORT, resolve)).then(() => order.push("21 ms"));
    await late;

    expect(order).toEqual(["21 ms", "300 ms"]);
  });

  test("does not ring if it is cancelled, and can be cancelled again", async () => {
    const cancelled = rung();
    const alarm = setAlarm(SHORT, cancelled.ring);
    alarm.cancel();
    alarm.cancel();
    await Bun.sleep(3 * SHORT);

    expect(cancelled.times).toBe(0);
  });

  test.each([0, 1, 2])("cancelling number %i of three does not affect the others", async (gone) => {
    const all = [rung(), rung(), rung()];
    const alarms = all.map(({ ring }) => setAlarm(SHORT, ring));
    alarms[gone]?.cancel();
    await later();

    expect(all.map(({ times }) => times)).toEqual([0, 1, 2].map((index) => (index === gone ? 0 : 1)));
  });

  test("rings if another one with the same duration was cancelled before", async () => {
    const first = rung();
    setAlarm(60, first.ring).cancel();
    await new Promise<void>((resolve) => setAlarm(60, resolve));

    expect(first.times).toBe(0);
  });

  test("is put off by the time in which the process did not run", async () => {
    const order: string[] = [];
    const late = new Promise<void>((resolve) => setAlarm(200, resolve)).then(() => order.push("late"));
    Bun.sleepSync(500);
    await new Promise<void>((resolve) => setAlarm(50, resolve)).then(() => order.push("50 ms"));
    await late;

    expect(order).toEqual(["50 ms", "late"]);
  });

  test("that was put off does not ring if it is cancelled", async () => {
    const cancelled = rung();
    const alarm = setAlarm(100, cancelled.ring);
    Bun.sleepSync(300);
    await Bun.sleep(10);
    alarm.cancel();
    await Bun.sleep(200);

    expect(cancelled.times).toBe(0);
  });

  test("can set and cancel others while it rings", async () => {
    const second = rung();
    const third = rung();
    await new Promise<void>((resolve) => {
      setAlarm(SHORT, () => {
        setAlarm(SHORT, second.ring);
        setAlarm(SHORT, third.ring).cancel();
        resolve();
      });
    });
    await later();

    expect([second.times, third.times]).toEqual([1, 0]);
  });

  test("does not keep the process alive", () => {
    const script = `import { setAlarm } from "${import.meta.dir}/../../src/base"; setAlarm(60_000, () => {});`;
    const done = Bun.spawnSync([process.execPath, "-e", script], { timeout: 10_000 });

    expect(done.exitCode).toBe(0);
  });
});
