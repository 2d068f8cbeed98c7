// The self-check of a platform on a real account.
export {
  type CheckRow,
  codeWord,
  defineSelfCheck,
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  type RecordedCall,
  type Seen,
  type SelfCheck,
  type Verdict,
  withoutExample,
  type Word,
  wordOf,
} from "./definition";
export type { CheckResult } from "./run";
export { type SelfCheckOutcome, type SelfCheckReport, type SelfCheckRequest, SelfChecks } from "./service";
