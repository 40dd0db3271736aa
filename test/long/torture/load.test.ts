import { describeTrials } from "./trials.ts";

describeTrials("load");
