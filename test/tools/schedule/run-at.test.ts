// When a run shall be: dates and times in the forms that people and libraries write.
import { expect, test } from "bun:test";
import { RuntimeError } from "../../../src/errors";
import { instantOf } from "../../../src/tools/schedule/run-at";

test.each([
  ["2030-01-31T09:30:00", "2030-01-31T09:30:00.000Z"],
  ["2030-01-31T09:30:00Z", "2030-01-31T09:30:00.000Z"],
  ["2030-01-31t09:30:00z", "2030-01-31T09:30:00.000Z"],
  ["2030-01-31 09:30:00", "2030-01-31T09:30:00.000Z"],
  ["2030-01-31T09:30:00.25", "2030-01-31T09:30:00.250Z"],
  ["2030-01-31T09:30:00.123456789Z", "2030-01-31T09:30:00.123Z"],
  ["2030-01-31T09:30:00+02:00", "2030-01-31T07:30:00.000Z"],
  ["2030-01-31T23:30:00.5-05:30", "2030-02-01T05:00:00.500Z"],
  ["2028-02-29T00:00:00", "2028-02-29T00:00:00.000Z"],
  ["1999-12-31T23:59:59", "1999-12-31T23:59:59.000Z"],
  ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
])("%s is %s in every time zone of the server", (text, instant) => {
  expect(new Date(instantOf(text)).toISOString()).toBe(instant);
});

test.each([
  "",
  "run_at",
  "tomorrow",
  "2030-01-31",
  "2030-01-31T09:30",
  "2030-02-30T09:30:00",
  "2029-02-29T09:30:00",
  "2030-13-01T09:30:00",
  "2030-01-31T24:00:00",
  "2030-01-31T09:60:00",
  "2030-01-31T09:30:60",
  "2030-01-31T09:30:00+25:00",
  "2030-01-31T09:30:00 Europe/Berlin",
  "30-01-31T09:30:00",
  "+002030-01-31T09:30:00",
  "1893456000",
  "9999-12-31T23:59:59-23:59",
  "0000-01-01T00:00:00+00:01",
  " 2030-01-31T09:30:00",
])("%p is not a time", (text) => {
  try {
    instantOf(text);
  } catch (error) {
    expect(error).toBeInstanceOf(RuntimeError);
    expect(error).toMatchObject({ name: "invalid_parameter", status: 400 });
    return;
  }
  throw new Error("it was taken for a time");
});
