// The contract of the store port, for the real engine and one that answers a turn later.
import { openSqlite } from "../../src/store";
import { openLateStore } from "../support/late-store";
import { storeContract } from "./contract";

storeContract("sqlite", openSqlite);
storeContract("late engine", openLateStore);
