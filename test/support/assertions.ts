// Preloaded by bunfig.toml: a test that ends without an assertion fails, in each row of a table as well.
import { beforeEach, expect } from "bun:test";

beforeEach(() => expect.hasAssertions());
