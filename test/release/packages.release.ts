// The packages for whole systems: of Debian, images for containers, and the executable for arm64.
import { afterAll, describe } from "bun:test";
import { arm64Tests } from "./arm64";
import { debianTests } from "./debian";
import { imageTests } from "./image";
import { folderOfTests, releaseIn, remove } from "./made";

const folder = folderOfTests();
const release = await releaseIn(folder);
afterAll(() => remove(folder));

describe("the package of Debian:", () => debianTests(release, () => folder));
describe("the image:", () => imageTests(release, () => folder));
describe("on arm64", () => arm64Tests(release, () => folder));
