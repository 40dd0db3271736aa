import { describeTrials } from "./trials.ts";

describeTrials("deaths");
