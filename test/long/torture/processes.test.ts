import { describeTrials } from "./trials.ts";

describeTrials("processes");
